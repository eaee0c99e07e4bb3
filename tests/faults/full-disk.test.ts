import { expect, onTestFinished, test } from "vitest";
import { ASK, finishCase, newestCase, runCommand } from "../support/fault-points.js";
import { watchStatements } from "../support/statements.js";
import { createWorkspace, jsonOf } from "../support/workspace.js";

const TOLD = { error: { code: "database_failed", category: "internal" } };

test("a case that met a full disk is named with the code, and later commands end it", async () => {
  const { stateDir } = createWorkspace();
  const asked = await runCommand(stateDir, ASK, { host: { full: true } });
  expect(asked.code).toBe(1);
  expect(jsonOf(asked)).toMatchObject({ caseId: newestCase(stateDir)?.caseId, ...TOLD });
  await finishCase(stateDir);
  expect(newestCase(stateDir)).toMatchObject({ status: "completed", approval: { state: "settled" } });
});

test("a program is told the code also when it could not be saved with the case", async () => {
  const workspace = createWorkspace();
  const full = watchStatements((_database, sql) => {
    if (/^update "cases"/.test(sql)) throw Object.assign(new Error("disk is full"), { code: "SQLITE_FULL" });
  });
  onTestFinished(() => full.restore());
  const asked = await workspace.inProcess(["--json", ...ASK.args]);
  expect(asked.code).toBe(1);
  expect(jsonOf(asked)).toMatchObject(TOLD);
  full.restore();
  expect(newestCase(workspace.stateDir)?.status).toBe("running");
  expect(workspace.query("application", "select error_code from cases")).toEqual([{ error_code: null }]);
});
