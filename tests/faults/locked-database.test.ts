/** Somebody else holds a database's write lock for longer than the program waits. */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { approvalOf, caseOf, moneyOf, PAID_ONCE } from "../support/graph-case.js";
import { createWorld } from "../support/lifecycle-world.js";
import type { Workspace } from "../support/workspace.js";

const START_MS = Date.parse("2026-09-12T10:00:00.000Z");
const LOCK_MS = 12_000;

function lock({ stateDir }: Workspace): Database.Database {
  const database = new Database(join(stateDir, "host", "application.db"), { timeout: 5_000 });
  database.exec("begin immediate");
  return database;
}

test("a lock of twelve seconds, from the payment on, ends by name; then the one receipt is found", async () => {
  const world = await createWorld(START_MS);
  onTestFinished(world.close);
  const { workspace } = world;
  const { caseId } = await world.command("alice", "ask", "Please refund QH-1001.", "--language", "en");
  const id = z.string().parse(caseId);
  await world.command("chen", "review", id, "--digest", approvalOf(workspace, id).digest, "--approve");
  let released: Promise<void> | undefined;
  world.commerce.onReceipt = () => {
    const locked = lock(workspace);
    released ??= wait(LOCK_MS).then(() => void locked.close());
  };
  const answer = await world.command("alice", "resume", id);
  expect([answer.exit, answer.said.includes("(database_busy)")]).toEqual([1, true]);
  expect(answer.said).not.toMatch(/\n {4}at |SQLITE/);
  await released;
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  expect(approvalOf(workspace, id)).toMatchObject({ state: "approved", receipt: null });
  expect(caseOf(workspace, id)).toMatchObject({ status: "queued", phase: "settle" });
  world.commerce.onReceipt = () => undefined;
  expect((await world.command("alice", "resume", id)).code).toBeNull();
  expect(caseOf(workspace, id)).toMatchObject({ status: "completed", error_code: null });
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
});
