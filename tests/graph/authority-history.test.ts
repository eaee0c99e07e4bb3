import { randomUUID } from "node:crypto";
import { Command } from "@langchain/langgraph";
import { expect, test } from "vitest";
import type { Aftersales } from "../../src/graph/open.js";
import {
  approvalOf,
  approvalsOf,
  caseOf,
  expectStillWaiting,
  type GraphInput,
  moneyOf,
  openAs,
  PAID_ONCE,
  pendingIds,
  review,
  run,
  threadOf,
  UNPAID,
} from "../support/graph-case.js";
import { askForRefund } from "../support/refund-story.js";
import { createWorkspace, type Workspace } from "../support/workspace.js";

/** Every saved step of a case, newest first. Once a hold ends at a wait or an end, only the newest is left. */
async function checkpointIds(handle: Aftersales, caseId: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { config } of handle.graph.getStateHistory(threadOf(caseId))) {
    const id: unknown = config.configurable?.checkpoint_id;
    if (typeof id === "string") ids.push(id);
  }
  return ids;
}

/** Runs the graph from an older step. Whether it goes through is of no interest, only what it leaves behind. */
async function replay(handle: Aftersales, caseId: string, checkpoint: string, input: GraphInput): Promise<void> {
  const { configurable, durability } = threadOf(caseId);
  const config = { configurable: { ...configurable, checkpoint_id: checkpoint }, durability };
  await handle.graph.invoke(input, config).catch((error: unknown) => expect(error).toBeInstanceOf(Error));
}

/** Whatever was tried, the reviewer can still decide and the approval is still executed. */
async function decideAndExecute(workspace: Workspace, caseId: string): Promise<void> {
  const { digest } = approvalOf(workspace, caseId);
  const approved = await review(workspace, { caseId, digest }, "--approve");
  expect(approved.code, approved.stderr).toBe(0);
  const executed = await run(workspace, "resume", caseId);
  expect(executed.code, executed.stderr).toBe(0);
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
}

test("going on from any step before the wait leaves the one proposal as it is", async () => {
  const workspace = createWorkspace();
  const alice = await openAs(workspace, "alice");
  const caseId = randomUUID();
  const input = { question: "Please refund QH-1001.", language: "en" as const };
  await alice.withCase(caseId, async () => {
    await alice.graph.invoke(input, threadOf(caseId));
    const [row] = approvalsOf(workspace, caseId);
    const steps = await checkpointIds(alice, caseId);
    expect(steps.length).toBeGreaterThan(5);
    const spent = workspace.query("application", "select model_used, tool_used from budgets");
    for (const step of steps) await replay(alice, caseId, step, null);
    expect(approvalsOf(workspace, caseId)).toEqual([row]);
    expect(workspace.query("application", "select model_used, tool_used from budgets")).toEqual(spent);
  });
  expect(caseOf(workspace, caseId)).toMatchObject({ status: "waiting_approval", phase: "approve", error_code: null });
  expect(moneyOf(workspace)).toEqual(UNPAID);
  await alice.close();
  await decideAndExecute(workspace, caseId);
});

test("going on from any step of an executed approval pays nothing more", async () => {
  const workspace = createWorkspace();
  const { caseId, digest } = await askForRefund(workspace);
  const chen = await openAs(workspace, "chen");
  const approve = { decision: "approve", digest, by: "chen" };
  await chen.withCase(caseId, async () => {
    const [id = ""] = await pendingIds(chen, caseId);
    await chen.graph.invoke(new Command({ resume: { [id]: approve } }), threadOf(caseId));
    expect(moneyOf(workspace)).toEqual(UNPAID);
    const before = await checkpointIds(chen, caseId);
    await chen.graph.invoke(null, threadOf(caseId));
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
    const settled = approvalsOf(workspace, caseId);
    const steps = await checkpointIds(chen, caseId);
    expect(steps.length).toBeGreaterThan(before.length);
    for (const step of steps) {
      await replay(chen, caseId, step, null);
      await replay(chen, caseId, step, new Command({ resume: approve }));
      await replay(chen, caseId, step, new Command({ resume: { [id]: approve } }));
      await replay(chen, caseId, step, new Command({ goto: "settle" }));
    }
    expect(approvalsOf(workspace, caseId)).toEqual(settled);
  });
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  expect(caseOf(workspace, caseId)).toMatchObject({ status: "completed", phase: "done" });
});

test("an approved refund that is executed from an older step is still executed once", async () => {
  const workspace = createWorkspace();
  const { caseId, digest } = await askForRefund(workspace);
  const chen = await openAs(workspace, "chen");
  await chen.withCase(caseId, async () => {
    const [waitingStep = ""] = await checkpointIds(chen, caseId);
    const [id = ""] = await pendingIds(chen, caseId);
    const resume = { [id]: { decision: "approve", digest, by: "chen" } };
    await chen.graph.invoke(new Command({ resume }), threadOf(caseId));
    for (let round = 0; round < 3; round += 1) {
      await replay(chen, caseId, waitingStep, new Command({ resume }));
      await replay(chen, caseId, waitingStep, new Command({ goto: "settle" }));
      await chen.graph.invoke(null, threadOf(caseId)).catch(() => undefined);
    }
  });
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  expect(approvalsOf(workspace, caseId)).toMatchObject([{ state: "settled", digest }]);
});

test("a rejection stands, from whatever step an approval is sent afterwards", async () => {
  const workspace = createWorkspace();
  const { caseId, digest } = await askForRefund(workspace);
  const chen = await openAs(workspace, "chen");
  await chen.withCase(caseId, async () => {
    const [id = ""] = await pendingIds(chen, caseId);
    const sign = (decision: string) => ({ [id]: { decision, digest, by: "chen" } });
    await chen.graph.invoke(new Command({ resume: sign("reject") }), threadOf(caseId));
    for (const step of await checkpointIds(chen, caseId)) {
      await replay(chen, caseId, step, new Command({ resume: sign("approve") }));
      await replay(chen, caseId, step, null);
      await replay(chen, caseId, step, new Command({ goto: "settle" }));
    }
  });
  expect(approvalOf(workspace, caseId)).toMatchObject({ state: "rejected", grant_jws: null });
  expect(caseOf(workspace, caseId)).toMatchObject({ status: "rejected", phase: "done" });
  expect(moneyOf(workspace)).toEqual(UNPAID);
});

test("an older step answered by the applicant decides nothing, and the case waits on", async () => {
  const workspace = createWorkspace();
  const waiting = await askForRefund(workspace);
  const alice = await openAs(workspace, "alice");
  await alice.withCase(waiting.caseId, async () => {
    const steps = await checkpointIds(alice, waiting.caseId);
    const approve = { decision: "approve", digest: waiting.digest, by: "chen" };
    for (const step of steps) {
      await replay(alice, waiting.caseId, step, new Command({ resume: approve }));
      await replay(alice, waiting.caseId, step, null);
    }
  });
  expectStillWaiting(workspace, waiting);
  await alice.close();
  await decideAndExecute(workspace, waiting.caseId);
});
