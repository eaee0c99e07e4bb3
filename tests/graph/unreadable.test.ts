/** Cases that this program cannot simply go on with: steps that cannot be read, another version of the graph. */
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import {
  approvalOf,
  caseOf,
  codeOf,
  expectStillWaiting,
  invoke,
  moneyOf,
  openAs,
  PAID_ONCE,
  review,
  run,
  UNPAID,
} from "../support/graph-case.js";
import { askForRefund } from "../support/refund-story.js";
import { createWorkspace, jsonOf, type Workspace } from "../support/workspace.js";

const SPOILS: [string, string][] = [
  ["cut short", "update checkpoints set checkpoint = substr(checkpoint, 1, 40)"],
  ["the serialiser's own error text", `update checkpoints set checkpoint = '"[unable to serialize]"'`],
  [
    "a class of an unknown library",
    `update checkpoints set checkpoint = json_set(checkpoint, '$.channel_values.question', json('{"lc":1,"type":"constructor","id":["evil","Thing"],"kwargs":{}}'))`,
  ],
  ["gone", "delete from checkpoints"],
];

/** Writes into checkpoints.db as somebody with the file would: its triggers are taken away, and come back when the product opens it. */
function spoil({ stateDir }: Workspace, sql: string): void {
  const database = new Database(join(stateDir, "host", "checkpoints.db"), { fileMustExist: true });
  for (const table of ["checkpoints", "writes"])
    for (const operation of ["insert", "update", "delete"]) database.exec(`drop trigger fence_${table}_${operation}`);
  database.exec(sql);
  database.close();
}

describe.each(SPOILS)("saved steps that are %s", (_how, sql) => {
  test("keep nobody from looking at a waiting case, deciding it and having it paid", async () => {
    const workspace = createWorkspace();
    const waiting = await askForRefund(workspace);
    spoil(workspace, sql);
    expect((await run(workspace, "inspect", waiting.caseId)).code).toBe(0);
    const info = await workspace.inProcess(["--json", "--profile", "chen", "review-info", waiting.caseId]);
    expect([info.code, jsonOf(info).digest]).toEqual([0, waiting.digest]);
    expect((await review(workspace, waiting, "--approve")).code).toBe(0);
    spoil(workspace, sql);
    expect((await run(workspace, "resume", waiting.caseId)).code).toBe(0);
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });

  test("end an unfinished case by name; it can still be looked at, and a new one goes its way", async () => {
    const workspace = createWorkspace();
    const started = await workspace.inProcess([
      "--json",
      "ask",
      "Please refund QH-1001.",
      "--language",
      "en",
      "--one-step",
    ]);
    const caseId = String(jsonOf(started).caseId);
    spoil(workspace, sql);
    for (let time = 0; time < 2; time += 1) {
      const resumed = await run(workspace, "resume", caseId);
      expect(resumed.code).toBe(1);
      expect(resumed.stderr).toContain("(checkpoint_unreadable)");
      expect(resumed.stderr).not.toMatch(/\n {4}at /);
    }
    expect((await run(workspace, "inspect", caseId, { flags: ["--events"] })).code).toBe(0);
    expect((await askForRefund(workspace)).status).toBe("waiting_approval");
  });
});

describe("a case of another graph version", () => {
  async function olderCase() {
    const workspace = createWorkspace();
    const waiting = await askForRefund(workspace);
    workspace.tamper("application", "update cases set graph_version = '0'");
    return { workspace, waiting };
  }

  test.each([
    ["review", "chen", (digest: string) => ["--digest", digest, "--approve"]],
    ["review", "chen", (digest: string) => ["--digest", digest, "--reject"]],
    ["requote", "alice", () => []],
    ["withdraw", "alice", () => []],
    ["resume", "alice", () => []],
  ] as const)("is not changed by %s of %s", async (command, profile, flags) => {
    const { workspace, waiting } = await olderCase();
    const args = ["--json", "--profile", profile, command, waiting.caseId, ...flags(waiting.digest)];
    const refused = await workspace.inProcess(args);
    expect([refused.code, codeOf(refused)]).toEqual([1, "graph_version_mismatch"]);
    expectStillWaiting(workspace, waiting);
    expect((await run(workspace, "inspect", waiting.caseId)).code).toBe(0);
  });

  test("is not continued by a program, and goes on under its own version", async () => {
    const { workspace, waiting } = await olderCase();
    const chen = await openAs(workspace, "chen");
    for (const input of [null, { question: "How long is the window?", language: "en" as const }]) {
      await expect(invoke(chen, waiting.caseId, input)).rejects.toMatchObject({ code: "graph_version_mismatch" });
    }
    expect(approvalOf(workspace, waiting.caseId).state).toBe("pending");
    expect(moneyOf(workspace)).toEqual(UNPAID);
    const { GRAPH_VERSION } = await import("../../src/graph/version.js");
    workspace.tamper("application", "update cases set graph_version = ?", GRAPH_VERSION);
    expect((await review(workspace, waiting, "--reject")).code).toBe(0);
    expect(caseOf(workspace, waiting.caseId).status).toBe("rejected");
  });
});
