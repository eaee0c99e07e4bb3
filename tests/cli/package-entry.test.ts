import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ROOT, runProcess, workspaceAt } from "../support/workspace.js";

it("a twenty-line program asks, approves with a Command and settles, on the same stores as the command line", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-program-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(ROOT, join(folder, "node_modules", "qinghe-aftersales"));
  symlinkSync(join(ROOT, "node_modules", "@langchain"), join(folder, "node_modules", "@langchain"));
  cpSync(join(ROOT, "examples", "refund.mjs"), join(folder, "refund.mjs"));
  const statements = readFileSync(join(folder, "refund.mjs"), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("//") && !line.startsWith("import "));
  expect(statements.length).toBeLessThanOrEqual(20);

  const run = await runProcess(process.execPath, ["refund.mjs"], { cwd: folder });
  expect(run.stderr).toBe("");
  expect(run.stdout.split("\n").slice(0, 2)).toEqual(["waiting_approval CNY 129.00", "queued"]);
  expect(run.stdout).toMatch(/^completed SIM-[0-9a-f-]+-1$/m);

  const workspace = workspaceAt(join(folder, ".state"));
  expect(workspace.query("commerce", "select refunded_cents, version from orders where order_id = 'QH-1001'")).toEqual([
    { refunded_cents: 12900, version: 2 },
  ]);
  const listed = await workspace.inProcess(["--json", "cases", "--status", "completed"]);
  expect(JSON.parse(listed.stdout)).toMatchObject({ cases: [{ orderId: "QH-1001" }] });
});
