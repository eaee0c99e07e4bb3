import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { z } from "zod";
import { askForRefund } from "../support/refund-story.js";
import { jsonOf, ROOT, type Workspace, workspaceAt } from "../support/workspace.js";

const Checks = z.looseObject({ checks: z.array(z.looseObject({ check: z.string(), result: z.string() })) });

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
    expect(new Set(checks.map(({ result }) => result))).toEqual(new Set(["ok"]));
    expect(checks).toHaveLength(9);
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
