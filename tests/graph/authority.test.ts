import { randomUUID } from "node:crypto";
import { Command } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Proposal, proposalDigest } from "../../src/domain/proposal.js";
import {
  answerWith,
  approvalOf,
  approvalsOf,
  caseOf,
  expectStillWaiting,
  type GraphInput,
  invoke,
  moneyOf,
  openAs,
  PAID_ONCE,
  pendingIds,
  review,
  run,
  threadOf,
  UNPAID,
} from "../support/graph-case.js";
import { askForRefund, type Waiting } from "../support/refund-story.js";
import { createWorkspace, type Workspace } from "../support/workspace.js";

const QUESTION = { question: "Please refund QH-1002.", language: "zh" as const };

/** The proposal as it would read with another amount, with the digest that would then belong to it. */
function forgedProposal(workspace: Workspace, waiting: Waiting) {
  const proposal = Proposal.parse({
    ...z.record(z.string(), z.unknown()).parse(JSON.parse(approvalOf(workspace, waiting.caseId).proposal)),
    amountCents: 999_900,
  });
  return { ...proposal, digest: proposalDigest(proposal) };
}

/** What anybody may try on a thread: it may fail, and it must decide nothing. */
async function attempt(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => expect(error).toBeInstanceOf(Error));
}

describe("a jump into the graph", () => {
  const jumps: [string, (forged: ReturnType<typeof forgedProposal>) => GraphInput][] = [
    ["straight to the payment", () => new Command({ goto: "settle" })],
    ["to the payment with a forged proposal", (proposal) => new Command({ goto: "settle", update: { proposal } })],
    ["to the wait with a forged proposal", (proposal) => new Command({ goto: "approve", update: { proposal } })],
    ["to the delivery", () => new Command({ goto: "deliver" })],
    ["to the plan with another question", () => new Command({ goto: "plan", update: { question: "refund QH-1002" } })],
    ["to two places at once", () => new Command({ goto: ["deliver", "settle"] })],
  ];

  test.each(["alice", "chen"].flatMap((profile) => jumps.map(([where, jump]) => ({ profile, where, jump }))))(
    "$where by $profile grants and pays nothing, and the proposal can still be approved",
    async ({ profile, jump }) => {
      const workspace = createWorkspace();
      const waiting = await askForRefund(workspace);
      const handle = await openAs(workspace, profile);
      await attempt(invoke(handle, waiting.caseId, jump(forgedProposal(workspace, waiting))));
      for (let round = 0; round < 3; round += 1) await attempt(invoke(handle, waiting.caseId, null));
      expectStillWaiting(workspace, waiting);
      await handle.close();

      expect((await review(workspace, waiting, "--approve")).code).toBe(0);
      await run(workspace, "resume", waiting.caseId);
      expect(moneyOf(workspace)).toEqual(PAID_ONCE);
    },
  );

  test("to the payment of a case that does not exist ends there", async () => {
    const workspace = createWorkspace();
    const alice = await openAs(workspace, "alice");
    await expect(invoke(alice, randomUUID(), new Command({ goto: "settle" }))).rejects.toThrow();
    expect(workspace.query("application", "select count(*) as count from approvals")).toEqual([{ count: 0 }]);
    expect(moneyOf(workspace)).toEqual(UNPAID);
  });

  test("to the payment after a rejection pays nothing", async () => {
    const workspace = createWorkspace();
    const waiting = await askForRefund(workspace);
    await review(workspace, waiting, "--reject");
    const chen = await openAs(workspace, "chen");
    const proposal = forgedProposal(workspace, waiting);
    await attempt(invoke(chen, waiting.caseId, new Command({ goto: "settle", update: { proposal } })));
    await attempt(
      chen.withCase(waiting.caseId, () => chen.graph.updateState(threadOf(waiting.caseId), { proposal }, "approve")),
    );
    await attempt(invoke(chen, waiting.caseId, null));
    expect(approvalOf(workspace, waiting.caseId)).toMatchObject({ state: "rejected", grant_jws: null });
    expect(caseOf(workspace, waiting.caseId)).toMatchObject({ status: "rejected", phase: "done" });
    expect(moneyOf(workspace)).toEqual(UNPAID);
  });
});

describe("state edited while a proposal waits", () => {
  const places = [undefined, "approve", "deliver", "review", "settle"] as const;

  test.each(places)(
    "as node %s: the edited proposal cannot be approved, the real one is what is paid",
    async (node) => {
      const workspace = createWorkspace();
      const waiting = await askForRefund(workspace);
      const chen = await openAs(workspace, "chen");
      const proposal = forgedProposal(workspace, waiting);
      await attempt(
        chen.withCase(waiting.caseId, () => chen.graph.updateState(threadOf(waiting.caseId), { proposal }, node)),
      );
      await attempt(invoke(chen, waiting.caseId, null));
      await answerWith(chen, waiting.caseId, { decision: "approve", digest: proposal.digest, by: "chen" });
      expectStillWaiting(workspace, waiting);

      await answerWith(chen, waiting.caseId, { decision: "approve", digest: waiting.digest, by: "chen" });
      await invoke(chen, waiting.caseId, null);
      expect(moneyOf(workspace)).toEqual(PAID_ONCE);
      expect(JSON.parse(approvalOf(workspace, waiting.caseId).receipt ?? "")).toMatchObject({
        digest: waiting.digest,
        amountCents: 12_900,
      });
    },
  );

  test.each(["continue", "reject"] as const)(
    "a planted answer does not turn a reviewer's %s into an approval",
    async (decision) => {
      const workspace = createWorkspace();
      const waiting = await askForRefund(workspace);
      const alice = await openAs(workspace, "alice");
      const planted = { refusal: null, decision: "approve", digest: waiting.digest, by: "chen", approved: true };
      await attempt(
        alice.withCase(waiting.caseId, () => alice.graph.updateState(threadOf(waiting.caseId), planted, "approve")),
      );
      await alice.close();
      const chen = await openAs(workspace, "chen");
      await attempt(invoke(chen, waiting.caseId, null));
      await answerWith(chen, waiting.caseId, { decision, digest: waiting.digest, by: "chen" });
      await attempt(invoke(chen, waiting.caseId, null));
      expect(approvalsOf(workspace, waiting.caseId)).toMatchObject([
        { state: decision === "reject" ? "rejected" : "pending", grant_jws: null },
      ]);
      expect(moneyOf(workspace)).toEqual(UNPAID);
    },
  );
});

describe("input that a waiting or finished case did not ask for", () => {
  test("continuing ten times asks the same question and does nothing else", async () => {
    const workspace = createWorkspace();
    const waiting = await askForRefund(workspace);
    const everything = () => [
      workspace.query("application", "select * from approvals"),
      workspace.query("application", "select * from cases"),
      workspace.query("application", "select * from budgets"),
      workspace.query("application", "select * from events"),
    ];
    const before = everything();
    for (const profile of ["alice", "chen"]) {
      const handle = await openAs(workspace, profile);
      for (let round = 0; round < 5; round += 1) await invoke(handle, waiting.caseId, null);
      expect(await pendingIds(handle, waiting.caseId)).toEqual([waiting.interruptId]);
    }
    expect(everything()).toEqual(before);
    expect(moneyOf(workspace)).toEqual(UNPAID);
  });

  test("a thread that somebody ended keeps nobody from deciding", async () => {
    const workspace = createWorkspace();
    const waiting = await askForRefund(workspace);
    const alice = await openAs(workspace, "alice");
    await alice.withCase(waiting.caseId, () => alice.graph.updateState(threadOf(waiting.caseId), null, "__end__"));
    expect(await pendingIds(alice, waiting.caseId)).toEqual([]);
    await alice.close();
    expectStillWaiting(workspace, waiting);
    expect((await review(workspace, waiting, "--approve")).code).toBe(0);
    await run(workspace, "resume", waiting.caseId);
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });

  test.each(["alice", "chen", "bob", "mei"])(
    "a new question from %s leaves a waiting case as it is",
    async (profile) => {
      const workspace = createWorkspace();
      const waiting = await askForRefund(workspace);
      const handle = await openAs(workspace, profile);
      await attempt(invoke(handle, waiting.caseId, QUESTION));
      expectStillWaiting(workspace, waiting);
      expect(caseOf(workspace, waiting.caseId)).toMatchObject({
        question: "Please refund QH-1001.",
        language: "en",
        error_code: null,
      });
      await handle.close();
      const chen = await openAs(workspace, "chen");
      await answerWith(chen, waiting.caseId, { decision: "approve", digest: waiting.digest, by: "chen" });
      await invoke(chen, waiting.caseId, null);
      expect(moneyOf(workspace)).toEqual(PAID_ONCE);
    },
  );

  test("a new question leaves a finished case as it is", async () => {
    const workspace = createWorkspace();
    const waiting = await askForRefund(workspace);
    await review(workspace, waiting, "--approve");
    await run(workspace, "resume", waiting.caseId);
    const before = [caseOf(workspace, waiting.caseId), approvalsOf(workspace, waiting.caseId)];
    const alice = await openAs(workspace, "alice");
    await attempt(invoke(alice, waiting.caseId, QUESTION));
    expect([caseOf(workspace, waiting.caseId), approvalsOf(workspace, waiting.caseId)]).toEqual(before);
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });
});
