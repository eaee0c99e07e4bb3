import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Command } from "@langchain/langgraph";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  answerWith,
  approvalOf,
  approvalsOf,
  caseOf,
  expectStillWaiting,
  invoke,
  moneyOf,
  openAs,
  PAID_ONCE,
  pendingIds,
  review,
  run,
  UNPAID,
} from "../support/graph-case.js";
import { askForRefund, type Waiting } from "../support/refund-story.js";
import { createWorkspace, ROOT, type Workspace } from "../support/workspace.js";

const PROGRAM = join(ROOT, "tests", "support", "fault-answer-then-die.mjs");

type Send = (workspace: Workspace, profile: string, caseId: string, resume: unknown) => Promise<void>;

/**
 * Lets a program send an answer and kills it when LangGraph has saved the answer and the approvals row does not know it yet: the test
 * holds the write lock that recording the decision needs.
 */
const sendAndDie: Send = async (workspace, profile, caseId, resume) => {
  const child = spawn(process.execPath, [PROGRAM, workspace.stateDir, profile, caseId, JSON.stringify(resume)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8");
  });
  await once(child.stdout, "data");
  const lock = new Database(join(workspace.stateDir, "host", "application.db"));
  try {
    lock.exec("begin immediate");
    child.stdin.write("go\n");
    const saved = () => workspace.query("checkpoints", "select 1 from writes where channel = '__resume__'").length;
    await vi.waitFor(() => expect(saved()).toBeGreaterThan(0), { timeout: 10_000, interval: 10 });
    child.kill("SIGKILL");
    await once(child, "exit");
  } finally {
    lock.close();
  }
  expect(said).toBe("held\n");
  // As if the dead process's lease had run out.
  workspace.tamper("application", "update leases set expires_ms = 0 where case_id = ?", caseId);
};

/** Sends an answer while the approvals cannot be read: the step fails behind the question, and LangGraph keeps the answer with it. */
const sendAndFail: Send = async (workspace, profile, caseId, resume) => {
  const handle = await openAs(workspace, profile);
  workspace.tamper("application", "alter table approvals rename to approvals_away");
  await expect(invoke(handle, caseId, new Command({ resume }))).rejects.toThrow();
  workspace.tamper("application", "alter table approvals_away rename to approvals");
  await handle.close();
};

async function waitingCase(): Promise<{ workspace: Workspace; waiting: Waiting; signed: Record<string, string> }> {
  const workspace = createWorkspace();
  const waiting = await askForRefund(workspace);
  return { workspace, waiting, signed: { decision: "approve", digest: waiting.digest, by: "chen" } };
}

describe("an approval that is never recorded", () => {
  const sent = [
    { fate: "is killed", send: sendAndDie, sender: "alice", form: "the question" },
    { fate: "is killed", send: sendAndDie, sender: "alice", form: "any question" },
    { fate: "is killed", send: sendAndDie, sender: "chen", form: "any question" },
    { fate: "fails", send: sendAndFail, sender: "alice", form: "the question" },
    { fate: "fails", send: sendAndFail, sender: "alice", form: "any question" },
    { fate: "fails", send: sendAndFail, sender: "chen", form: "the question" },
  ];

  test.each(sent)("because $sender, answering $form, $fate, decides nothing, whoever goes on", async (how) => {
    const { workspace, waiting, signed } = await waitingCase();
    const resume = how.form === "the question" ? { [waiting.interruptId]: signed } : signed;
    await how.send(workspace, how.sender, waiting.caseId, resume);
    expectStillWaiting(workspace, waiting);
    for (const profile of ["alice", "chen"]) {
      expect((await run(workspace, "resume", waiting.caseId, { profile })).code).toBe(0);
      const handle = await openAs(workspace, profile);
      await invoke(handle, waiting.caseId, null);
      expect(await pendingIds(handle, waiting.caseId)).toEqual([waiting.interruptId]);
      await handle.close();
      expectStillWaiting(workspace, waiting);
    }
    const chen = await openAs(workspace, "chen");
    await answerWith(chen, waiting.caseId, { ...signed, decision: "continue" });
    await invoke(chen, waiting.caseId, null);
    expectStillWaiting(workspace, waiting);
    await chen.close();
    expect((await review(workspace, waiting, "--approve")).code).toBe(0);
    await run(workspace, "resume", waiting.caseId);
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });

  test.each(sent)("because $sender, answering $form, $fate, does not outvote the reviewer's rejection", async (how) => {
    const { workspace, waiting, signed } = await waitingCase();
    const resume = how.form === "the question" ? { [waiting.interruptId]: signed } : signed;
    await how.send(workspace, how.sender, waiting.caseId, resume);
    const chen = await openAs(workspace, "chen");
    const reject = { ...signed, decision: "reject" };
    await invoke(chen, waiting.caseId, new Command({ resume: { [waiting.interruptId]: reject } }));
    expect(approvalOf(workspace, waiting.caseId)).toMatchObject({ state: "rejected", grant_jws: null });
    expect(caseOf(workspace, waiting.caseId)).toMatchObject({ status: "rejected" });
    expect(moneyOf(workspace)).toEqual(UNPAID);
  });
});

test("an approval that was recorded is not lost with its sender", async () => {
  const { workspace, waiting } = await waitingCase();
  // The command records the decision first; without the case's lease it cannot take the case any further.
  const alice = await openAs(workspace, "alice");
  const busy = await alice.withCase(waiting.caseId, () => review(workspace, waiting, "--approve"));
  expect(busy.code).toBe(1);
  expect(approvalsOf(workspace, waiting.caseId)).toMatchObject([{ state: "approved", reviewer: "chen" }]);
  expect(caseOf(workspace, waiting.caseId).status).toBe("waiting_approval");
  expect((await run(workspace, "resume", waiting.caseId)).code).toBe(0);
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
});
