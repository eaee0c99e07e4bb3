import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createWorkspace, jsonOf, ROOT } from "../support/workspace.js";

/** A copy of the shipped data with one file changed. */
function dataWith(file: string, change: (text: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(ROOT, "data"), folder, { recursive: true });
  const path = join(folder, file);
  const before = readFileSync(path, "utf8");
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
  return folder;
}

const Report = z.looseObject({
  ok: z.literal(false),
  defects: z.array(z.looseObject({ file: z.string(), place: z.string(), advice: z.string().min(5) })).min(1),
});

it.each([
  [
    "a page without its English half",
    "knowledge/RETURNS.md",
    (text: string) => text.replace("### en", "### fr"),
    "RETURNS:p01",
  ],
  [
    "a paragraph that is too long",
    "knowledge/DELIVERY.md",
    (text: string) => text.replace("### en\n\n", `### en\n\n${"word ".repeat(600)}`),
    "DELIVERY:p01",
  ],
  [
    "a document of an unknown tenant",
    "knowledge/WARRANTY.md",
    (text: string) => text.replace('"tenant":"qinghe"', '"tenant":"nowhere"'),
    "tenant",
  ],
  [
    "an end before its beginning",
    "knowledge/INVOICES.md",
    (text: string) => text.replace('"effective_to":null', '"effective_to":"2026-01-01"'),
    "effective_to",
  ],
  [
    "a document id used twice",
    "knowledge/PLAYBOOK.md",
    (text: string) => text.replace('"id":"PLAYBOOK"', '"id":"RETURNS"'),
    "RETURNS",
  ],
  [
    "a rule of another version than its pages",
    "refund_rules.json",
    (text: string) => text.replace("returns-2026-09", "returns-2026-08"),
    "version",
  ],
  [
    "an amount that does not add up",
    "business.json",
    (text: string) => text.replace('"total_cents": 14100', '"total_cents": 14101'),
    "QH-1001",
  ],
  [
    "half a cent",
    "business.json",
    (text: string) => text.replace('"paid_items_cents": 12900', '"paid_items_cents": 12900.5'),
    "paid_items_cents",
  ],
  [
    "a procedure without its Chinese half",
    "skills/refund/SKILL.md",
    (text: string) => text.replace("## zh", "## de"),
    "zh",
  ],
  [
    "a procedure that leads outside",
    "skills/manifest.json",
    (text: string) => text.replace("refund/SKILL.md", "../../../etc/passwd"),
    "skills",
  ],
])("check-data names %s by file and place and exits with 1", async (_name, file, change, place) => {
  const folder = dataWith(file, change);
  const run = await createWorkspace().inProcess(["--json", "check-data", folder]);
  expect(run.code).toBe(1);
  const { defects } = Report.parse(jsonOf(run));
  expect(JSON.stringify(defects)).toContain(place);
  expect(defects.some((defect) => defect.file.includes(file.split("/")[0] ?? file))).toBe(true);
  expect(run.stderr).toContain("(data_invalid)");
});
