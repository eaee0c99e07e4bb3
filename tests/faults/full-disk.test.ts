import { expect, test } from "vitest";
import { ASK, finishCase, newestCase, runCommand } from "../support/fault-points.js";
import { createWorkspace, jsonOf } from "../support/workspace.js";

test("a program that asks while the disk is full is told the code, although it could not be saved; later commands end the case", async () => {
  const { stateDir } = createWorkspace();
  const asked = await runCommand(stateDir, ASK, { host: { full: true } });
  expect(asked.code).toBe(1);
  expect(jsonOf(asked)).toMatchObject({
    caseId: newestCase(stateDir)?.caseId,
    error: { code: "database_failed", category: "internal" },
  });
  await finishCase(stateDir);
  expect(newestCase(stateDir)).toMatchObject({ status: "completed", approval: { state: "settled" } });
});
