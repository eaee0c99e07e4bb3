import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Command } from "@langchain/langgraph";
import Database from "better-sqlite3";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import {
  answerWith,
  approvalOf,
  clocksMoved,
  expectStillWaiting,
  invoke,
  MINUTE,
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

/**
 * Lets a program send an answer and kills it when LangGraph has saved the answer and the approvals row does not know it yet: the test
 * holds the write lock that the decision needs.
 */
async function answerAndDie(workspace: Workspace, profile: string, caseId: string, resume: unknown): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, workspace.stateDir, profile, caseId, JSON.stringify(resume)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  await once(child.stdout, "data");
  expect(said).toBe("held\n");
  const lock = new Database(join(workspace.stateDir, "host", "application.db"));
  try {
    lock.exec("begin immediate");
    child.stdin.write("go\n");
    await vi_until(() => savedAnswers(workspace) > 0);
    child.kill("SIGKILL");
    await once(child, "exit");
  } finally {
    lock.close();
  }
  expect(said).toBe("held\n");
  // The dead process still holds the case; its lease is over before anybody else works on it.
  workspace.tamper("application", "update leases set owner = null, expires_ms = 0 where case_id = ?", caseId);
}
