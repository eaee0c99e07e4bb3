import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { z } from "zod";
import { CaseRecord, renderCaseRecord } from "../../src/domain/case-record.js";
import { recordIn, verifyCaseRecord } from "../../src/domain/record-verification.js";
import { recordVerifiers } from "../../src/graph/compose-state.js";
import { askForRefund } from "../support/refund-story.js";
import { jsonOf, ROOT, type Workspace, workspaceAt } from "../support/workspace.js";

const Checks = z.looseObject({ checks: z.array(z.looseObject({ check: z.string(), result: z.string() })) });

/** Question, answer, records read, model, language, reason and the two times: what `unsigned_parts` names. */
const UNSIGNED = [
  "answer.answer",
  "answer.citations.*",
  "evidence.facts.*.data",
  "evidence.facts.*.sourceId",
  "evidence.passages.*.version",
  "decision.reason",
  "language",
  "model",
  "openedAt",
  "question",
  "receipt.executedAt",
].sort();

/** The record once for each of its values, with that one changed. */
function leavesOf(record: unknown, path: readonly string[] = [], at: unknown = record): [string, unknown][] {
  if (typeof at === "object" && at !== null)
    return Object.entries(at).flatMap(([key, value]) => leavesOf(record, [...path, key], value));
  return at === null ? [] : [[path.join("."), changedAt(record, path, otherThan(at))]];
}

function changedAt(value: unknown, [key, ...rest]: readonly string[], to: unknown): unknown {
  if (key === undefined) return to;
  if (Array.isArray(value))
    return value.map((each, index) => (String(index) === key ? changedAt(each, rest, to) : each));
  const object = z.record(z.string(), z.unknown()).parse(value);
  return { ...object, [key]: changedAt(object[key], rest, to) };
}

function otherThan(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  const text = String(value);
  const instead: Record<string, string> = {
    en: "zh",
    completed: "needs_input",
    answer: "needs_input",
    approve: "reject",
  };
  if (instead[text] !== undefined) return instead[text];
  if (/^\d{4}-\d\d-\d\d/.test(text)) return text.replace(/^\d{4}/, "2020");
  // The last letter of a signature in base64 holds fewer bits than a letter can.
  if (text.length > 100) return `${text.slice(0, 50)}${text[50] === "b" ? "c" : "b"}${text.slice(51)}`;
  return /\d$/.test(text)
    ? text.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10))
    : `${text.slice(0, -1)}${text.endsWith("b") ? "c" : "b"}`;
}

describe("verify", () => {
  let workspace: Workspace;
  let record: string;

  beforeAll(async () => {
    const stateDir = mkdtempSync(join(tmpdir(), "aftersales-verify-"));
    cpSync(inject("templateDir"), stateDir, { recursive: true });
    workspace = workspaceAt(stateDir);
    const { caseId, digest } = await askForRefund(workspace);
    await workspace.inProcess([
      "--profile",
      "chen",
      "review",
      caseId,
      "--digest",
      digest,
      "--approve",
      "--reason",
      "fits",
    ]);
    const settled = jsonOf(await workspace.inProcess(["--json", "resume", caseId]));
    record = readFileSync(z.string().parse(settled.artifact), "utf8");
    return () => rmSync(stateDir, { recursive: true, force: true });
  });

  /** Writes a changed record and returns what failed. */
  async function failuresOf(changed: string, ...args: string[]): Promise<string[]> {
    const folder = mkdtempSync(join(tmpdir(), "aftersales-record-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "record.md");
    writeFileSync(file, changed);
    const run = await workspace.inProcess(["--json", "verify", file, ...args]);
    if (run.code === 0) return [];
    const { error } = z
      .looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) })
      .parse(jsonOf(run));
    expect(error.code).toBe("record_not_verified");
    return /does not hold: ([\w, ]+)\./.exec(error.message)?.[1]?.split(", ") ?? [];
  }

  it("confirms every statement of a settled record", async () => {
    const folder = mkdtempSync(join(tmpdir(), "aftersales-record-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "record.md"), record);
    const run = await workspace.inProcess(["--json", "verify", join(folder, "record.md")]);
    expect(run.code).toBe(0);
    const { checks } = Checks.parse(jsonOf(run));
    const unsigned = checks.filter(({ result }) => result !== "ok").map(({ check }) => check);
    expect(unsigned).toEqual(["unsigned_parts"]);
    expect(checks).toHaveLength(10);
  });

  it("notices a change of any field, in text and data alike, except of those that it says no signature covers", async () => {
    const data = recordIn(record);
    const unnoticed: string[] = [];
    const fields = leavesOf(data);
    for (const [path, changed] of fields) {
      const parsed = CaseRecord.safeParse(changed);
      if (!parsed.success) continue;
      const checks = await verifyCaseRecord(
        renderCaseRecord(parsed.data),
        recordVerifiers(workspace.stateDir, join(ROOT, "data")),
      );
      if (checks.every(({ result }) => result !== "failed")) unnoticed.push(path.replace(/\.\d+/g, ".*"));
    }
    expect(fields.length).toBeGreaterThan(60);
    expect([...new Set(unnoticed)].sort()).toEqual(UNSIGNED);
  });

  it.each([
    [
      "an amount changed in the text only",
      (text: string) => text.replace("CNY 129.00 (12900)", "CNY 999.00 (99900)"),
      "text_matches_data",
    ],
    [
      "an amount changed in the proposal",
      (text: string) => text.replace(/("proposal":\{"amountCents":)12900/, "$112901"),
      "proposal_digest",
    ],
    [
      "an amount changed in the quote",
      (text: string) => text.replace(/("quote":\{"amountCents":)12900/, "$112901"),
      "quote_id",
    ],
    [
      "a grant with one letter changed",
      (text: string) => text.replace(/"grant":"(.{60})./, '"grant":"$1_'),
      "grant_signature",
    ],
    [
      "another reviewer named",
      (text: string) => text.replaceAll('"reviewer":"chen"', '"reviewer":"dora"'),
      "grant_covers_proposal",
    ],
    [
      "a receipt of another amount",
      (text: string) => text.replace(/("receipt":\{"amountCents":)12900/, "$114100"),
      "receipt_matches_proposal",
    ],
    [
      "a cited text that is no longer so",
      (text: string) => text.replace(/("id":"RETURNS:p02:en:0","textHash":")[0-9a-f]{4}/, "$10000"),
      "cited_texts",
    ],
    [
      "a status that does not fit",
      (text: string) => text.replace('"status":"completed"', '"status":"rejected"'),
      "status_consistent",
    ],
    ["no data at its end", (text: string) => text.split("## Data")[0] ?? "", "data_readable"],
  ])("refuses a record with %s", async (_name, change, check) => {
    const changed = change(record);
    expect(changed).not.toBe(record);
    expect(await failuresOf(changed)).toContain(check);
  });

  it("says what it could not check on a machine without the key", async () => {
    const folder = mkdtempSync(join(tmpdir(), "aftersales-record-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "record.md"), record);
    const elsewhere = workspaceAt(join(folder, "no-state"));
    const run = await elsewhere.inProcess([
      "--json",
      "--data",
      join(ROOT, "data"),
      "verify",
      join(folder, "record.md"),
    ]);
    expect(run.code).toBe(0);
    const { checks } = Checks.parse(jsonOf(run));
    expect(checks.find(({ check }) => check === "grant_signature")).toMatchObject({ result: "not_checked" });
  });
});
