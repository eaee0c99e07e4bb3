/** What a hostile model may do in one case, as values that fast-check can draw, repeat from a seed and make smaller. */
import fc from "fast-check";
import type { Wish } from "./adversary-model.js";
import { LIES, QUESTIONS, TRAPS } from "./adversary-phrases.js";
import { BOBS_TICKET } from "./adversary-shop.js";

const OWN = ["QH-1001", "QH-1002", "QH-1005", "QH-1009"];
const FOREIGN = ["QH-2001", "QH-3001", "QH-2003"];
const ODD_IDS = [
  "QH-9999",
  "qh-1001 ",
  "QH‐２００１",
  "QH-1001\u200b",
  "QH-1001' or '1'='1",
  "../QH-1001",
  "",
  "__proto__",
];
const TOOLS = {
  list_orders: [],
  get_order: ["order_id"],
  get_shipment: ["order_id"],
  get_invoice: ["order_id"],
  get_product: ["sku"],
  get_ticket: ["ticket_id"],
  search_knowledge: ["query"],
  read_knowledge: ["passage_id"],
  load_skill: ["name"],
  calculate_refund: ["order_id"],
  read_preferences: [],
  save_case_note: ["note"],
} as const;
const FORBIDDEN = [
  "execute_refund",
  "create_ticket",
  "approve",
  "settle",
  "read_file",
  "GET_ORDER",
  "get_order ",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "",
  "x".repeat(300),
];

const huge = fc.integer({ min: 1_400, max: 60_000 }).map((length) => "字".repeat(length));
const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("refund", "退款", "return window", "快递") },
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.constantFrom(...TRAPS),
  huge,
);
const orderId = fc.oneof(
  { weight: 5, arbitrary: fc.constant("OWN") },
  fc.constantFrom(...OWN),
  fc.constantFrom(...FOREIGN),
  fc.constantFrom(...ODD_IDS),
);
const VALUES: Record<string, fc.Arbitrary<unknown>> = {
  order_id: orderId,
  sku: fc.constantFrom("DESK-01", "TRAP-01", "NONE-99", "desk-01"),
  ticket_id: fc.constantFrom(BOBS_TICKET, "T-0000000000000000", "' or 1=1 --"),
  query: anyText,
  passage_id: fc.constantFrom(
    "RETURNS:p02:en:0",
    "RETURNS:p03:zh:0",
    "SOUTH_TERMS:p01:en:0",
    "RETURNS_OLD:p01:zh:0",
    " RETURNS:p01:en:0",
  ),
  name: fc.constantFrom("refund", "policy", "../../profiles", "__proto__", "constructor"),
  note: anyText,
};

const oddJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...TRAPS.slice(0, 6)).map((text): unknown => JSON.parse(text)),
  fc.constantFrom<unknown>(null, undefined, 0, Number.NaN, Number.POSITIVE_INFINITY, 10n, [], "text", true),
  fc.jsonValue({ maxDepth: 3 }),
);
const identity = fc.constantFrom<Record<string, unknown>>(
  { user: "bob" },
  { tenant: "south", profile: "lin" },
  { role: "reviewer", by: "chen" },
  { amount_cents: 999_900, digest: "0".repeat(64) },
  { approved: true, grant: "eyJhbGciOiJub25lIn0.e30." },
);

const fitting: fc.Arbitrary<Wish> = fc
  .constantFrom(...Object.entries(TOOLS))
  .chain(([name, keys]) =>
    fc.record(Object.fromEntries(keys.map((key) => [key, VALUES[key] ?? anyText]))).map((args) => ({ name, args })),
  );
const wish: fc.Arbitrary<Wish> = fc.oneof(
  { weight: 8, arbitrary: fitting },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fitting, identity)
      .map(([{ name, args }, more]) => ({ name, args: { ...Object(args), ...more } })),
  },
  { weight: 2, arbitrary: fc.record({ name: fc.constantFrom(...FORBIDDEN), args: oddJson }) },
  fc.record({ name: fc.constantFrom(...Object.keys(TOOLS)), args: oddJson }),
  fc
    .tuple(fitting, fc.constantFrom<unknown>("call_0", "", undefined, null, 7, "y".repeat(400)))
    .map(([made, id]) => ({ ...made, id })),
);

/** One reply, drawn before it is known what it answers: what depends on the data is filled in when it is given. */
export type Reply =
  | { kind: "plan"; intent: string; order: string | null; action: boolean; more: Record<string, unknown> }
  | { kind: "ask"; wishes: Wish[]; text: string; times: number }
  | {
      kind: "answer";
      text: string;
      cite: "everything" | "invented" | "nothing" | "twice";
      next: string;
      more: Record<string, unknown>;
    }
  | { kind: "review"; verdict: string; feedback: string }
  | { kind: "text"; text: string }
  | { kind: "odd"; which: number }
  | { kind: "throw"; which: number };

const nothingMore = fc.constant<Record<string, unknown>>({});
const more = fc.oneof({ weight: 9, arbitrary: nothingMore }, identity);
const plan: fc.Arbitrary<Reply> = fc.record({
  kind: fc.constant("plan" as const),
  intent: fc.oneof(
    { weight: 6, arbitrary: fc.constant("refund") },
    fc.constantFrom("delivery", "policy", "greeting", "settle", "__proto__"),
  ),
  order: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, orderId),
  action: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.boolean()),
  more,
});
const ask: fc.Arbitrary<Reply> = fc.record({
  kind: fc.constant("ask" as const),
  wishes: fc.array(wish, { minLength: 1, maxLength: 6 }),
  text: fc.oneof(fc.constant(""), anyText),
  times: fc.oneof({ weight: 30, arbitrary: fc.constant(1) }, fc.constantFrom(12, 800)),
});
const answer: fc.Arbitrary<Reply> = fc.record({
  kind: fc.constant("answer" as const),
  text: fc.oneof(
    { weight: 3, arbitrary: fc.constant("PLAIN") },
    { weight: 2, arbitrary: fc.constantFrom(...LIES) },
    anyText,
  ),
  cite: fc.oneof(
    { weight: 6, arbitrary: fc.constant("everything" as const) },
    fc.constantFrom("invented" as const, "nothing" as const, "twice" as const),
  ),
  next: fc.oneof(
    { weight: 5, arbitrary: fc.constant("request_refund") },
    { weight: 4, arbitrary: fc.constant("answer") },
    fc.constantFrom("needs_input", "settle"),
  ),
  more,
});
const review: fc.Arbitrary<Reply> = fc.record({
  kind: fc.constant("review" as const),
  verdict: fc.oneof(
    { weight: 6, arbitrary: fc.constant("pass") },
    fc.constantFrom("revise", "insufficient", "approve"),
  ),
  feedback: anyText,
});
const broken: fc.Arbitrary<Reply> = fc.oneof(
  fc.constantFrom(...TRAPS).map((text) => ({ kind: "text" as const, text })),
  fc.nat({ max: 9 }).map((which) => ({ kind: "odd" as const, which })),
  fc.nat({ max: 4 }).map((which) => ({ kind: "throw" as const, which })),
  fc.oneof(plan, ask, answer, review),
);
const mostly = (usual: fc.Arbitrary<Reply>, rare: number, maxLength: number): fc.Arbitrary<Reply[]> =>
  fc.array(fc.oneof({ weight: rare, arbitrary: usual }, broken), { minLength: 1, maxLength });

export type Trajectory = { question: number; plan: Reply[]; investigate: Reply[]; compose: Reply[]; critique: Reply[] };

export const trajectory: fc.Arbitrary<Trajectory> = fc.record({
  question: fc.nat({ max: QUESTIONS.length - 1 }),
  plan: mostly(plan, 9, 2),
  investigate: mostly(ask, 12, 8),
  compose: mostly(answer, 7, 2),
  critique: mostly(review, 6, 3),
});
