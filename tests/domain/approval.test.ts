import { expect, test } from "vitest";
import { type Approval, checkDecision, isOpen, mayAccessCase, standingOf } from "../../src/domain/approval.js";
import { textHash } from "../../src/domain/canonical.js";
import type { Identity } from "../../src/domain/identity.js";
import { alice, approval, bob, chen, dana, NOW_MS, proposal, southReviewer } from "../support/ledger-values.js";

const waiting = approval();
const LATE = NOW_MS + 900_001;
const answer = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  decision: "approve",
  digest: waiting.digest,
  by: "chen",
  ...changes,
});
const check = (raw: unknown, caller: Identity = chen, at: Approval = waiting, nowMs = NOW_MS): unknown => {
  const checked = checkDecision(raw, at, caller, nowMs);
  return checked.ok ? "accepted" : checked.code;
};

test("a reviewer of the tenant approves the very proposal that waits", () => {
  expect(check(answer())).toBe("accepted");
  expect(check(answer({ reason: "checked the goods" }))).toBe("accepted");
});

test("a reviewer rejects, the applicant withdraws, either of them asks for a new quote", () => {
  expect(check(answer({ decision: "reject" }))).toBe("accepted");
  expect(check(answer({ decision: "withdraw", by: "alice" }), alice)).toBe("accepted");
  expect(check(answer({ decision: "requote", by: "alice" }), alice)).toBe("accepted");
  expect(check(answer({ decision: "requote" }))).toBe("accepted");
});

const selfReviewer: Identity = { ...alice, role: "reviewer" };
const decided = approval({ state: "approved" });

/** One defect each, in the order in which they are reported. */
const REFUSALS: { code: string; caller?: Identity; change?: Record<string, unknown>; at?: Approval; nowMs?: number }[] =
  [
    { code: "case_not_accessible", caller: southReviewer },
    { code: "invalid_decision", change: { decision: "pay" } },
    { code: "not_reviewer", caller: alice },
    { code: "self_approval", caller: selfReviewer },
    { code: "decision_not_yours", change: { by: "dana" } },
    { code: "digest_mismatch", change: { digest: textHash("another") } },
    { code: "already_decided", at: decided },
    { code: "approval_expired", nowMs: LATE },
  ];

test.each(REFUSALS)("$code is given for its own defect alone", ({ code, caller, change, at, nowMs }) => {
  expect(check(answer({ by: caller?.user ?? "chen", ...change }), caller, at, nowMs)).toBe(code);
});

test.each(REFUSALS.slice(1))("$code is reported before everything after it", ({ code, caller }) => {
  const from = REFUSALS.slice(REFUSALS.findIndex((refusal) => refusal.code === code));
  const defects = Object.assign({}, ...[...from].reverse().map(({ change }) => change ?? {}));
  const at = from.find((refusal) => refusal.at !== undefined)?.at ?? waiting;
  expect(check(answer(defects), caller, at, LATE)).toBe(code);
});

test("a caller without access learns nothing else, whatever else is wrong", () => {
  for (const caller of [southReviewer, bob]) {
    expect(check({ decision: "?" }, caller, decided, LATE)).toBe("case_not_accessible");
    expect(check(answer({ decision: "continue", by: caller.user }), caller)).toBe("case_not_accessible");
  }
});

test.each([
  ["no object", "approve"],
  ["nothing", undefined],
  ["null", null],
  ["a list", []],
  ["a boolean", true],
  ["another client's form", { type: "accept", args: null }],
  ["a list of decisions", { decisions: [{ type: "approve" }] }],
  ["no digest", { decision: "approve", by: "chen" }],
  ["no decider", { decision: "approve", digest: waiting.digest }],
  ["a digest in upper case", answer({ digest: waiting.digest.toUpperCase() })],
  ["a short digest", answer({ digest: waiting.digest.slice(0, 12) })],
  ["an amount", answer({ amountCents: 1 })],
  ["a long reason", answer({ reason: "x".repeat(501) })],
  ["a decision in capitals", answer({ decision: "Approve" })],
])("an answer with %s is invalid", (_what, raw) => {
  expect(check(raw)).toBe("invalid_decision");
});

test.each(["approve", "reject"])(
  "%s is for reviewers: another customer has no access, the applicant no right",
  (decision) => {
    expect(check(answer({ decision, by: "bob" }), bob)).toBe("case_not_accessible");
    expect(check(answer({ decision, by: "alice" }), alice)).toBe("not_reviewer");
  },
);

test("nobody decides on their own request, also not as a reviewer", () => {
  for (const decision of ["approve", "reject"]) {
    expect(check(answer({ decision, by: "alice" }), selfReviewer)).toBe("self_approval");
  }
});

test("an answer signed by somebody else than its sender decides nothing", () => {
  for (const decision of ["approve", "reject", "requote"]) {
    expect(check(answer({ decision, by: "dana" }))).toBe("decision_not_yours");
  }
  expect(check(answer({ by: "dana" }), dana)).toBe("accepted");
});

test("only the applicant withdraws", () => {
  expect(check(answer({ decision: "withdraw" }))).toBe("decision_not_yours");
});

test("a row whose proposal was edited no longer has its digest", () => {
  const edited = approval({ digest: waiting.digest }, proposal({ orderVersion: 2 }));
  expect(check(answer(), chen, edited)).toBe("digest_mismatch");
  const moved = approval({ digest: waiting.digest }, proposal({ expiresAt: "2026-09-12T09:00:00.000Z" }));
  expect(check(answer(), chen, moved)).toBe("digest_mismatch");
});

test.each(["approved", "rejected", "withdrawn", "settled"] as const)("a %s proposal is not decided again", (state) => {
  for (const decision of ["approve", "reject", "requote"]) {
    expect(check(answer({ decision }), chen, approval({ state }))).toBe("already_decided");
  }
  expect(check(answer({ decision: "withdraw", by: "alice" }), alice, approval({ state }))).toBe("already_decided");
});

test("a requoted proposal has been answered", () => {
  expect(check(answer({ decision: "reject" }), chen, approval({ state: "void", voidCode: "requoted" }))).toBe(
    "already_decided",
  );
});

test.each(["expired", "stale", "grant_refused"] as const)(
  "a proposal void because %s allows reject, requote and withdraw, but no approval",
  (voidCode) => {
    const at = approval({ state: "void", voidCode });
    expect(check(answer(), chen, at)).toBe("approval_expired");
    expect(check(answer({ decision: "reject" }), chen, at)).toBe("accepted");
    expect(check(answer({ decision: "requote" }), chen, at)).toBe("accepted");
    expect(check(answer({ decision: "withdraw", by: "alice" }), alice, at)).toBe("accepted");
  },
);

test("an approval at exactly 15 minutes counts; later only the other decisions do", () => {
  expect(check(answer(), chen, waiting, NOW_MS + 900_000)).toBe("accepted");
  expect(check(answer(), chen, waiting, LATE)).toBe("approval_expired");
  expect(check(answer({ decision: "reject" }), chen, waiting, LATE)).toBe("accepted");
  expect(check(answer({ decision: "requote" }), chen, waiting, LATE)).toBe("accepted");
  expect(check(answer({ decision: "withdraw", by: "alice" }), alice, waiting, LATE)).toBe("accepted");
});

test("continue decides nothing: it needs access and a form, and no right", () => {
  for (const at of [waiting, decided, approval({ state: "rejected" })]) {
    expect(check(answer({ decision: "continue", digest: textHash("x"), by: "dana" }), chen, at, LATE)).toBe("accepted");
  }
  expect(check({ decision: "continue" })).toBe("invalid_decision");
});

test("a case may be known to its applicant and to reviewers of its tenant", () => {
  const owner = { tenant: "qinghe", applicant: "alice" };
  expect([alice, chen].map((caller) => mayAccessCase(owner, caller))).toEqual([true, true]);
  expect(
    [bob, southReviewer, { ...alice, tenant: southReviewer.tenant }].map((caller) => mayAccessCase(owner, caller)),
  ).toEqual([false, false, false]);
});

test("how a proposal stands follows from the row and the clock", () => {
  expect(standingOf(waiting, NOW_MS)).toBe("live");
  expect(standingOf(waiting, LATE)).toBe("expired");
  expect(standingOf(approval({ state: "void", voidCode: "expired" }), NOW_MS)).toBe("expired");
  expect(standingOf(approval({ state: "void", voidCode: "stale" }), NOW_MS)).toBe("stale");
  expect(isOpen(waiting)).toBe(true);
  expect(isOpen(approval({ state: "void", voidCode: "stale" }))).toBe(true);
  expect(isOpen(approval({ state: "void", voidCode: "requoted" }))).toBe(false);
  expect(isOpen(decided)).toBe(false);
});
