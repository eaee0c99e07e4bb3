import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { trajectory } from "../support/adversary-arbitraries.js";
import { violationsOf } from "../support/adversary-checker.js";
import { asking, saying } from "../support/adversary-model.js";
import { LIES, QUESTIONS } from "../support/adversary-phrases.js";
import { player } from "../support/adversary-player.js";
import { type AdversaryHost, openAdversary } from "../support/adversary-run.js";
import { createShop, type Shop } from "../support/adversary-shop.js";
import { count, handOver, RUNS, SEED, type Tally } from "../support/adversary-tally.js";

const Evidence = z.array(z.looseObject({ id: z.string() }));
const passageIn = (data: Record<string, unknown>): string => Evidence.parse(data.evidence)[0]?.id ?? "none";

const some = expect.any(Number);
const TAKEN = { "tools ran": some, "ended completed": some, "ended needs_input": some, "ended waiting_approval": some };

let shop: Shop;
let host: AdversaryHost;
const tally: Tally = { trajectories: 0, violations: 0 };

beforeAll(async () => {
  shop = await createShop({ language: "en", texts: ["An ordinary text."] });
  host = await openAdversary(shop);
});
afterAll(async () => {
  await host.close();
  shop.remove();
  handOver("hostile-model", tally);
});

it("thousands of calls in one reply spend the budget once and end in an answer", async () => {
  const question = {
    text: "How long is the return window?",
    language: "en",
    orderId: null,
    asksRefund: false,
  } as const;
  const evidence = await host.run({
    question,
    respond: ({ step, data }) =>
      step === "plan"
        ? saying({ intent: "policy", order_id: null, action_requested: false, queries: [], milestones: [] })
        : step === "investigate"
          ? asking(
              Array.from({ length: 5_000 }, (_item, n) => ({
                name: "search_knowledge",
                args: { query: `window ${n}` },
              })),
            )
          : step === "compose"
            ? saying({ answer: "Thirty days.", citations: [passageIn(data)], next_action: "answer" })
            : saying({ verdict: "pass", feedback: "" }),
  });
  expect(violationsOf(evidence)).toEqual([]);
  const ended = evidence.after.cases?.find((row) => row.case_id === evidence.caseId);
  expect(ended).toMatchObject({ status: "completed", error_code: null });
  expect(evidence.after.budgets?.find((row) => row.case_id === evidence.caseId)).toMatchObject({ tool_used: 24 });
});

it.each(LIES)("of an order with an earlier refund, no answer says: %s", async (lie) => {
  const zh = /\p{Script=Han}/u.test(lie);
  const text = zh ? "请为 QH-1009 办理退款。" : "Please refund QH-1009.";
  const evidence = await host.run({
    question: { text, language: zh ? "zh" : "en", orderId: "QH-1009", asksRefund: true },
    lies: LIES,
    respond: ({ step, results }) =>
      step === "plan"
        ? saying({ intent: "refund", order_id: "QH-1009", action_requested: true, queries: [], milestones: [] })
        : step === "investigate"
          ? results.length > 0
            ? saying("Done.")
            : asking([{ name: "get_order", args: { order_id: "QH-1009" } }])
          : step === "compose"
            ? saying({ answer: lie, citations: ["get_order:QH-1009"], next_action: "answer" })
            : saying({ verdict: "pass", feedback: "" }),
  });
  expect(violationsOf(evidence)).toEqual([]);
  expect(evidence.after.cases?.find((row) => row.case_id === evidence.caseId)).toMatchObject({ status: "needs_input" });
});

it("whatever a model does at every call, a case reads its own, spends its budget, pays nothing and ends in a named status", {
  timeout: 60_000 + RUNS * 2_000,
}, async () => {
  const property = fc.asyncProperty(trajectory, async (drawn) => {
    const question = QUESTIONS[drawn.question];
    if (question === undefined) return;
    const evidence = await host.run({ question, respond: player(drawn), lies: LIES });
    const violations = violationsOf(evidence);
    count(tally, "trajectories");
    if (violations.length > 0) count(tally, "violations");
    const ended = evidence.after.cases?.find((row) => row.case_id === evidence.caseId);
    count(tally, `ended ${String(ended?.status)}${ended?.error_code == null ? "" : `, ${String(ended.error_code)}`}`);
    const ran = (evidence.after.events ?? []).filter((row) => row.tool !== null && row.status === "ok").length;
    tally["tools ran"] = (tally["tools ran"] ?? 0) + ran;
    tally["model requests"] = (tally["model requests"] ?? 0) + evidence.modelRequests;
    expect(violations).toEqual([]);
  });
  await fc.assert(property, { numRuns: RUNS, seed: SEED });
  // Every road was taken: cases that asked tools, were answered, and came to a proposal.
  if (RUNS >= 100) expect(tally).toMatchObject(TAKEN);
});
