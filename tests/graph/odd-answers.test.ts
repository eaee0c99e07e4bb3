/** What a client can send to a case that it should not, in every state of the thread: each has a defined outcome and none spoils the case. */
import { randomUUID } from "node:crypto";
import { Command } from "@langchain/langgraph";
import Database from "better-sqlite3";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
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
import { createWorkspace, type Workspace } from "../support/workspace.js";

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

describe("a wait that failed before it asked its question", () => {
  /** The database fails once, right after the proposal has been committed. */
  async function askWithFailingWait(workspace: Workspace): Promise<Waiting> {
    let placed = false;
    const prepare = Database.prototype.prepare;
    const broken = vi.spyOn(Database.prototype, "prepare").mockImplementation(function (
      this: Database.Database,
      sql: string,
    ) {
      if (sql.includes('update "cases"') && sql.includes('"artifact"') && workspaceHas(workspace)) placed = true;
      else if (placed && sql.includes('from "cases"')) {
        placed = false;
        broken.mockRestore();
        throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
      }
      return Reflect.apply(prepare, this, [sql]);
    });
    onTestFinished(() => broken.mockRestore());
    const asked = await workspace.inProcess(["--json", "ask", "Please refund QH-1001.", "--language", "en"]);
    expect(asked.stderr).toContain("(database_failed)");
    const [row] = workspace.query("application", "select case_id from cases");
    const caseId = String(row?.case_id);
    const { digest, proposal } = approvalOf(workspace, caseId);
    return {
      caseId,
      digest,
      status: "waiting_approval",
      interruptId: "none",
      proposal: { ...JSON.parse(proposal), state: "live" },
    };
  }
  const workspaceHas = (workspace: Workspace): boolean =>
    workspace.query("application", "select 1 from approvals").length > 0;

  test("takes no answer that it would not have taken, and then the reviewer's", async () => {
    const workspace = createWorkspace();
    const waiting = await askWithFailingWait(workspace);
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
    const waiting = await askWithFailingWait(workspace);
    expect((await run(workspace, "resume", waiting.caseId)).code).toBe(0);
    const chen = await openAs(workspace, "chen");
    expect(await pendingIds(chen, waiting.caseId)).toHaveLength(1);
    expectStillWaiting(workspace, waiting);
  });
});
