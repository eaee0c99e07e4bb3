/** The folder of case records cannot be used: what the rows already say stands, the command says what is wrong, and the record follows later. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { approvalOf, caseOf, codeOf, moneyOf, PAID_ONCE, review, run } from "../support/graph-case.js";
import { askForRefund, Waiting } from "../support/refund-story.js";
import { createWorkspace, jsonOf, type Workspace } from "../support/workspace.js";

const folderOf = ({ stateDir }: Workspace): string => join(stateDir, "host", "artifacts");

/** A file where the folder belongs stops everybody, the superuser too. */
function block(workspace: Workspace): void {
  rmSync(folderOf(workspace), { recursive: true, force: true });
  writeFileSync(folderOf(workspace), "");
}

test("a case whose record cannot be written says so and goes on when it can", async () => {
  const workspace = createWorkspace();
  block(workspace);
  const asked = await workspace.inProcess(["--json", "ask", "Please refund QH-1001.", "--language", "en"]);
  expect([asked.code, codeOf(asked)]).toEqual([1, "file_refused"]);
  expect(asked.stderr).toContain("(EEXIST)");
  rmSync(folderOf(workspace));
  const caseId = z.string().parse(jsonOf(asked).caseId);
  expect(Waiting.parse(jsonOf(await run(workspace, "resume", caseId, { flags: ["--retry"] }))).digest).toMatch(
    /^[0-9a-f]{64}$/,
  );
});

test("a payment whose record cannot be written is told with the code, though the case itself knows of no error", async () => {
  const workspace = createWorkspace();
  const waiting = await askForRefund(workspace);
  await review(workspace, waiting, "--approve");
  block(workspace);
  const paid = await run(workspace, "resume", waiting.caseId);
  expect([paid.code, codeOf(paid)]).toEqual([1, "file_refused"]);
  expect(jsonOf(paid)).toMatchObject({ status: "completed", receipt: { amountCents: 12_900 } });
  expect(caseOf(workspace, waiting.caseId)).toMatchObject({ status: "completed", error_code: null });
  rmSync(folderOf(workspace));
  const shown = jsonOf(await run(workspace, "resume", waiting.caseId));
  expect(existsSync(z.string().parse(shown.artifact))).toBe(true);
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  expect(approvalOf(workspace, waiting.caseId)).toMatchObject({ state: "settled" });
});
