import { expect, test } from "vitest";
import { runCommand } from "../support/fault-points.js";
import {
  approvalOf,
  approvalsOf,
  caseOf,
  clocksAt,
  clocksMoved,
  codeOf,
  MINUTE,
  moneyOf,
  PAID_ONCE,
  recordOf,
  review,
  run,
  UNPAID,
  waitingOf,
} from "../support/graph-case.js";
import { Waiting } from "../support/refund-story.js";
import { createWorkspace, jsonOf, type Workspace } from "../support/workspace.js";

const FIFTEEN_MINUTES = 15 * MINUTE;
const HOUR = 60 * MINUTE;
/** Whatever was proposed under this clock has expired for everybody else, the commerce process included. */
const EARLIER = clocksMoved(-20 * MINUTE);

async function askUnder(workspace: Workspace, clocks = EARLIER): Promise<Waiting> {
  const args = ["--json", "ask", "Please refund QH-1001.", "--language", "en"];
  return Waiting.parse(jsonOf(await workspace.inProcess(args, { clocks })));
}

async function approveAndExecute(workspace: Workspace, proposal: { caseId: string; digest: string }): Promise<void> {
  expect((await review(workspace, proposal, "--approve")).code).toBe(0);
  const done = await run(workspace, "resume", proposal.caseId);
  expect(jsonOf(done)).toMatchObject({ status: "completed", receipt: { digest: proposal.digest } });
}

test.each([
  { afterMs: FIFTEEN_MINUTES, ends: [0, undefined], state: "approved" },
  { afterMs: FIFTEEN_MINUTES + 1, ends: [1, "approval_expired"], state: "pending" },
])(
  "a proposal can be approved until exactly 15 minutes have passed: after $afterMs ms it is $state",
  async ({ afterMs, ends, state }) => {
    const workspace = createWorkspace();
    const askedMs = Date.now() - FIFTEEN_MINUTES;
    const waiting = await askUnder(workspace, clocksAt(askedMs));
    const decided = await review(workspace, waiting, "--approve", { clocks: clocksAt(askedMs + afterMs) });
    expect([decided.code, jsonOf(decided).error === undefined ? undefined : codeOf(decided)]).toEqual(ends);
    expect(approvalOf(workspace, waiting.caseId).state).toBe(state);
  },
);

test("an expired proposal is shown as such, is approved by nobody and gets no grant", async () => {
  const workspace = createWorkspace();
  const waiting = await askUnder(workspace);
  expect(jsonOf(await run(workspace, "inspect", waiting.caseId))).toMatchObject({
    status: "waiting_approval",
    proposal: { state: "expired" },
  });
  const refused = await workspace.cli([
    ...["--json", "--profile", "chen"],
    ...["review", waiting.caseId, "--digest", waiting.digest, "--approve"],
  ]);
  expect([refused.code, codeOf(refused)]).toEqual([1, "approval_expired"]);
  expect(approvalOf(workspace, waiting.caseId)).toMatchObject({ state: "pending", grant_jws: null });
  expect(moneyOf(workspace)).toEqual(UNPAID);
});

test.each(["reject", "withdraw"] as const)("an expired proposal can still end by %s", async (verdict) => {
  const workspace = createWorkspace();
  const waiting = await askUnder(workspace);
  const ended =
    verdict === "reject"
      ? await review(workspace, waiting, "--reject")
      : await run(workspace, "withdraw", waiting.caseId);
  expect(ended.code).toBe(0);
  expect(recordOf(workspace, waiting.caseId)).toMatchObject({
    status: verdict === "reject" ? "rejected" : "withdrawn",
    decision: { decision: verdict },
  });
});

test.each(["alice", "chen"])("%s can have an expired proposal renewed, and the new one is paid", async (profile) => {
  const workspace = createWorkspace();
  const old = await askUnder(workspace);
  const renewed = waitingOf(await run(workspace, "requote", old.caseId, { profile }));
  expect(renewed.caseId).toBe(old.caseId);
  expect(renewed.digest).not.toBe(old.digest);
  expect(renewed.proposal.approvalId).not.toBe(old.proposal.approvalId);
  expect(renewed.proposal).toMatchObject({ state: "live", amountCents: 12_900 });
  expect(codeOf(await review(workspace, old, "--approve"))).toBe("digest_mismatch");
  await approveAndExecute(workspace, renewed);
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  expect(approvalsOf(workspace, old.caseId)).toMatchObject([
    { round: 1, state: "void", void_code: "requoted", grant_jws: null },
    { round: 2, state: "settled", digest: renewed.digest },
  ]);
});

test("what a reviewer's fast clock has seen keeps nobody from a new proposal, which is paid", async () => {
  const workspace = createWorkspace();
  const old = await askUnder(workspace, clocksMoved(0));
  expect(codeOf(await review(workspace, old, "--approve", { clocks: clocksMoved(HOUR) }))).toBe("approval_expired");
  expect(codeOf(await review(workspace, old, "--approve"))).toBe("approval_expired");
  const renewed = waitingOf(await run(workspace, "requote", old.caseId));
  await approveAndExecute(workspace, renewed);
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
});

test("a refund approved and executed on a machine whose clock is an hour behind is paid once", async () => {
  const workspace = createWorkspace();
  const waiting = await askUnder(workspace, clocksMoved(0));
  const behind = (profile: "alice" | "chen", ...args: string[]) =>
    runCommand(workspace.stateDir, { profile, args }, { host: { skewMs: -HOUR } });
  expect((await behind("chen", "review", waiting.caseId, "--digest", waiting.digest, "--approve")).code).toBe(0);
  const done = await behind("alice", "resume", waiting.caseId);
  expect(jsonOf(done)).toMatchObject({ status: "completed", receipt: { digest: waiting.digest } });
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
});

test.each(["bob", "mei"])("%s cannot have it renewed", async (profile) => {
  const workspace = createWorkspace();
  const { caseId } = await askUnder(workspace);
  expect(codeOf(await run(workspace, "requote", caseId, { profile }))).toBe("case_not_accessible");
  expect(approvalsOf(workspace, caseId)).toMatchObject([{ state: "pending" }]);
});

test("an expired proposal does not keep the order from the next request", async () => {
  const workspace = createWorkspace();
  const old = await askUnder(workspace);
  const next = await askUnder(workspace, clocksMoved(0));
  expect(approvalOf(workspace, old.caseId)).toMatchObject({ state: "void", void_code: "expired" });
  expect(jsonOf(await run(workspace, "inspect", old.caseId))).toMatchObject({
    status: "waiting_approval",
    proposal: { state: "expired" },
  });
  // The old case may ask again, but the order has its one live proposal.
  const elsewhere = jsonOf(await run(workspace, "requote", old.caseId));
  expect(elsewhere).toMatchObject({ status: "completed", liveProposal: { caseId: next.caseId } });
  await approveAndExecute(workspace, next);
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
});

test("an approval executed too late pays nothing; the case waits, is renewed and then paid", async () => {
  const workspace = createWorkspace();
  const waiting = await askUnder(workspace);
  expect((await review(workspace, waiting, "--approve", { clocks: EARLIER })).code).toBe(0);
  expect(approvalOf(workspace, waiting.caseId)).toMatchObject({ state: "approved", reviewer: "chen" });

  const late = await run(workspace, "resume", waiting.caseId);
  expect(late.code).toBe(0);
  expect(jsonOf(late)).toMatchObject({
    status: "waiting_approval",
    phase: "approve",
    proposal: { state: "expired" },
    error: { code: "approval_expired" },
  });
  expect(moneyOf(workspace)).toEqual(UNPAID);
  expect(codeOf(await review(workspace, waiting, "--approve"))).toBe("approval_expired");
  await run(workspace, "resume", waiting.caseId);
  expect(caseOf(workspace, waiting.caseId).status).toBe("waiting_approval");

  const renewed = waitingOf(await run(workspace, "requote", waiting.caseId));
  await approveAndExecute(workspace, renewed);
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
});

test("an approval of an order that has changed since pays nothing and leads to a new quote", async () => {
  const workspace = createWorkspace();
  const waiting = await askUnder(workspace, clocksMoved(0));
  await review(workspace, waiting, "--approve");
  const change = "update orders set refunded_cents = 4900, version = version + 1 where order_id = 'QH-1001'";
  workspace.tamper("commerce", change);
  expect(jsonOf(await run(workspace, "resume", waiting.caseId))).toMatchObject({
    status: "waiting_approval",
    proposal: { state: "stale" },
    error: { code: "quote_changed" },
  });
  expect(moneyOf(workspace)).toEqual({ refunded: 4_900, version: 2, receipts: 0 });
  const renewed = waitingOf(await run(workspace, "requote", waiting.caseId));
  expect(renewed.proposal.amountCents).toBe(8_000);
  await approveAndExecute(workspace, renewed);
  expect(moneyOf(workspace)).toEqual({ refunded: 12_900, version: 3, receipts: 1 });
});
