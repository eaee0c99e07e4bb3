/** What a client can send to a case that it should not, in every state of the thread: each has a defined outcome and none spoils the case. */
import { randomUUID } from "node:crypto";
import { Command } from "@langchain/langgraph";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  answerWith,
  approvalOf,
  approvalsOf,
  caseOf,
  codeOf,
  expectStillWaiting,
  type GraphInput,
  invoke,
  moneyOf,
  openAs,
  PAID_ONCE,
  pendingIds,
  review,
  run,
  sharedWorkspace,
  threadOf,
  UNPAID,
} from "../support/graph-case.js";
import { askForRefund, type Waiting } from "../support/refund-story.js";
import { watchStatements } from "../support/statements.js";
import { createWorkspace, jsonOf, type Workspace } from "../support/workspace.js";

const outcomeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "taken",
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );

describe("a bare answer, sent to no question in particular", () => {
  const workspace = sharedWorkspace();
  let waiting: Waiting;
  beforeAll(async () => {
    waiting = await askForRefund(workspace);
  });
  const good = () => ({ decision: "approve", digest: waiting.digest, by: "chen" });

  // What LangGraph makes of each was observed; what counts is that none of them decides.
  const sent: [string, () => unknown, string, string | null][] = [
    ["null", () => null, "EmptyInputError", null],
    ["undefined", () => undefined, "EmptyInputError", null],
    ["false", () => false, "taken", "invalid_decision"],
    ["zero", () => 0, "taken", "invalid_decision"],
    ["an empty text", () => "", "taken", "invalid_decision"],
    ["not a number", () => Number.NaN, "taken", "invalid_decision"],
    ["an empty list", () => [], "taken", "invalid_decision"],
    ["an empty object", () => ({}), "UnknownInterruptError", null],
    ["true", () => true, "taken", "invalid_decision"],
    ["a word", () => "approve", "taken", "invalid_decision"],
    [
      "an object under a question's id that nobody asked",
      () => ({ ["f".repeat(32)]: good() }),
      "UnknownInterruptError",
      null,
    ],
    ["an object under a key of 64 digits", () => ({ ["f".repeat(64)]: good() }), "taken", "invalid_decision"],
    [
      "an object that looks like a saved message",
      () => ({
        lc: 1,
        type: "constructor",
        id: ["langchain_core", "messages", "HumanMessage"],
        kwargs: { content: "x" },
      }),
      "taken",
      "invalid_decision",
    ],
    [
      "an object that looks like a saved value of an unknown library",
      () => ({ lc: 1, type: "constructor", id: ["evil", "Thing"], kwargs: {} }),
      "taken",
      "invalid_decision",
    ],
    [
      "an answer whose prototype is set",
      () => JSON.parse(`{"__proto__":${JSON.stringify(good())}}`),
      "taken",
      "invalid_decision",
    ],
    ["an amount that JSON cannot hold", () => ({ ...good(), amountCents: 12_900n }), "taken", "invalid_decision"],
  ];

  test.each(sent)("%s decides nothing, and the same question waits", async (_what, value, outcome, refusal) => {
    const chen = await openAs(workspace, "chen");
    const sending = invoke(chen, waiting.caseId, new Command({ resume: value() }));
    expect(await outcomeOf(sending)).toBe(outcome);
    const { values } = await chen.graph.getState(threadOf(waiting.caseId));
    if (refusal !== null) expect(values).toMatchObject({ refusal });
    expect(await pendingIds(chen, waiting.caseId)).toHaveLength(1);
    expectStillWaiting(workspace, waiting);
    expect((await run(workspace, "inspect", waiting.caseId)).code).toBe(0);
  });

  test("after all of them the reviewer's answer counts", async () => {
    const chen = await openAs(workspace, "chen");
    await answerWith(chen, waiting.caseId, good());
    expect(approvalOf(workspace, waiting.caseId)).toMatchObject({ state: "approved", reviewer: "chen" });
    await invoke(chen, waiting.caseId, null);
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });
});

describe("a thread where nothing waits", () => {
  const inputs: [string, (digest: string) => GraphInput][] = [
    ["an approval", (digest) => new Command({ resume: { decision: "approve", digest, by: "chen" } })],
    ["a plain continue", () => null],
  ];

  test.each(inputs)("%s for a case that does not exist makes none", async (_what, input) => {
    const workspace = createWorkspace();
    const caseId = randomUUID();
    const chen = await openAs(workspace, "chen");
    await outcomeOf(invoke(chen, caseId, input("0".repeat(64))));
    for (const command of ["inspect", "resume"] as const) {
      expect(codeOf(await run(workspace, command, caseId))).toBe("case_not_accessible");
    }
    expect(workspace.query("application", "select case_id from cases union select case_id from approvals")).toEqual([]);
    expect(moneyOf(workspace)).toEqual(UNPAID);
  });

  test.each(inputs)("%s for a finished case changes nothing", async (_what, input) => {
    const workspace = createWorkspace();
    const waiting = await askForRefund(workspace);
    await review(workspace, waiting, "--approve");
    await run(workspace, "resume", waiting.caseId);
    const before = [caseOf(workspace, waiting.caseId), approvalsOf(workspace, waiting.caseId)];
    const chen = await openAs(workspace, "chen");
    await outcomeOf(invoke(chen, waiting.caseId, input(waiting.digest)));
    expect([caseOf(workspace, waiting.caseId), approvalsOf(workspace, waiting.caseId)]).toEqual(before);
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });
});

/** Asks, and the disk fails once when the case is read: while it is handed over, or before the wait has asked its question. */
async function askWithFailure(workspace: Workspace, when: "handing over" | "before the question"): Promise<Waiting> {
  const isHandedOver = (): boolean =>
    workspace.query("application", "select 1 from cases where status = 'waiting_approval' and artifact is not null")
      .length > 0;
  let isSaved = false;
  const broken = watchStatements((_database, sql) => {
    if (sql.includes("into checkpoints") && isHandedOver()) isSaved = true;
    if (!sql.includes('from "cases"') || !(when === "handing over" ? isHandedOver() : isSaved)) return;
    broken.restore();
    throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
  });
  onTestFinished(() => broken.restore());
  const asked = await workspace.inProcess(["--json", "ask", "Please refund QH-1001.", "--language", "en"]);
  expect(asked.stderr).toContain("(database_failed)");
  const caseId = String(jsonOf(asked).caseId);
  const { digest, proposal } = approvalOf(workspace, caseId);
  const waiting = { ...JSON.parse(proposal), state: "live" };
  return { caseId, digest, status: "waiting_approval", interruptId: "none", proposal: waiting };
}

describe("a wait that failed before it asked its question", () => {
  test("takes no answer that it would not have taken, and then the reviewer's", async () => {
    const workspace = createWorkspace();
    const waiting = await askWithFailure(workspace, "before the question");
    expectStillWaiting(workspace, waiting);
    const alice = await openAs(workspace, "alice");
    expect(await pendingIds(alice, waiting.caseId)).toEqual([]);
    const forged = { decision: "approve", digest: waiting.digest, by: "chen" };
    await outcomeOf(invoke(alice, waiting.caseId, new Command({ resume: forged })));
    await outcomeOf(invoke(alice, waiting.caseId, null));
    expectStillWaiting(workspace, waiting);
    expect((await review(workspace, waiting, "--approve")).code).toBe(0);
    expect((await run(workspace, "resume", waiting.caseId)).code).toBe(0);
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });

  test("is asked again by the next resume", async () => {
    const workspace = createWorkspace();
    const waiting = await askWithFailure(workspace, "before the question");
    expect((await run(workspace, "resume", waiting.caseId)).code).toBe(0);
    const chen = await openAs(workspace, "chen");
    expect(await pendingIds(chen, waiting.caseId)).toHaveLength(1);
    expectStillWaiting(workspace, waiting);
  });
});

describe("a delivery that failed after its proposal was committed", () => {
  test("waits after a retry, with the same proposal", async () => {
    const workspace = createWorkspace();
    const waiting = await askWithFailure(workspace, "handing over");
    expect(caseOf(workspace, waiting.caseId)).toMatchObject({ status: "failed", error_code: "database_failed" });
    expect((await run(workspace, "resume", waiting.caseId, { flags: ["--retry"] })).code).toBe(0);
    expectStillWaiting(workspace, waiting);
  });

  test("can be decided all the same", async () => {
    const workspace = createWorkspace();
    const waiting = await askWithFailure(workspace, "handing over");
    expect((await review(workspace, waiting, "--approve")).code).toBe(0);
    expect(caseOf(workspace, waiting.caseId)).toMatchObject({ status: "queued", phase: "settle", error_code: null });
    expect((await run(workspace, "resume", waiting.caseId)).code).toBe(0);
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });
});
