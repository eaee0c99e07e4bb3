/** State of the first version goes on under this program; state of a later version is refused and left as it is. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { APPLICATION_MIGRATIONS } from "../../src/adapters/application-schema.js";
import { COMMERCE_MIGRATIONS } from "../../src/commerce-mcp/commerce-tables.js";
import { GRAPH_VERSION } from "../../src/graph/version.js";
import { changeFile, DATABASE_NAMES, DATABASES, firstVersionWorkspace } from "../support/first-version.js";
import { approvalOf, caseOf, codeOf, moneyOf, review, run } from "../support/graph-case.js";
import { createWorkspace, jsonOf, type Workspace } from "../support/workspace.js";

const Cases = z.array(z.strictObject({ case_id: z.string(), status: z.string() }));

function casesOf(workspace: Workspace): { paid: string; waiting: string } {
  const rows = Cases.parse(workspace.query("application", "select case_id, status from cases"));
  const of = (status: string): string => rows.find((row) => row.status === status)?.case_id ?? "none";
  return { paid: of("completed"), waiting: of("waiting_approval") };
}

describe("state of the first version", () => {
  test("is migrated by the first command that opens it, with nothing lost", async () => {
    const workspace = firstVersionWorkspace();
    const { paid, waiting } = casesOf(workspace);
    const before = [
      workspace.query("application", "select * from cases"),
      workspace.query("commerce", "select * from receipts"),
    ];
    expect(jsonOf(await run(workspace, "inspect", paid, { flags: ["--events"] }))).toMatchObject({
      status: "completed",
      receipt: { amountCents: 12_900 },
    });
    expect(jsonOf(await run(workspace, "inspect", waiting))).toMatchObject({ status: "waiting_approval" });
    const audit = await workspace.inProcess(["--json", "--profile", "chen", "audit"]);
    expect([audit.code, jsonOf(audit)]).toEqual([0, expect.objectContaining({ cases: 2, receipts: 1, findings: [] })]);
    expect([
      workspace.query("application", "select * from cases"),
      workspace.query("commerce", "select * from receipts"),
    ]).toEqual(before);
    const ran = (name: "application" | "commerce") =>
      workspace.query(name, "select name from kysely_migration order by name").map((row) => row.name);
    expect(ran("application")).toEqual(Object.keys(APPLICATION_MIGRATIONS));
    expect(ran("commerce")).toEqual(Object.keys(COMMERCE_MIGRATIONS));
  });

  test("waits, is renewed, approved and paid under this one", async () => {
    const workspace = firstVersionWorkspace();
    const { waiting } = casesOf(workspace);
    workspace.tamper("application", "update cases set graph_version = ?", GRAPH_VERSION);
    expect((await run(workspace, "requote", waiting)).code).toBe(0);
    const { digest } = approvalOf(workspace, waiting);
    expect((await review(workspace, { caseId: waiting, digest }, "--approve")).code).toBe(0);
    expect((await run(workspace, "resume", waiting)).code).toBe(0);
    expect(caseOf(workspace, waiting).status).toBe("completed");
    expect(moneyOf(workspace, "QH-1009")).toMatchObject({ refunded: 12_900, receipts: 2 });
    expect(workspace.query("checkpoints", "select * from pragma_user_version")).toEqual([{ user_version: 1 }]);
  });

  test("can be purged, which the first version could not", async () => {
    const workspace = firstVersionWorkspace();
    const { paid } = casesOf(workspace);
    expect((await workspace.inProcess(["forget", paid])).code).toBe(0);
    expect(workspace.query("application", "select case_id, purged_by from purges")).toEqual([
      { case_id: paid, purged_by: "alice" },
    ]);
  });
});

const LATER = {
  application: "insert into kysely_migration values ('9999_later', '2030-01-01')",
  commerce: "insert into kysely_migration values ('9999_later', '2030-01-01')",
  checkpoints: "pragma user_version = 99",
};

describe.each(DATABASE_NAMES)("%s of a later version", (name) => {
  test.each([
    ["en", "newer version of this program"],
    ["zh", "更新版本"],
  ])("is refused in one sentence (%s) and left as it is", async (language, sentence) => {
    const workspace = createWorkspace();
    changeFile(workspace, name, LATER[name]);
    const file = join(workspace.stateDir, ...DATABASES[name]);
    const before = readFileSync(file);
    const question = language === "zh" ? "请为 QH-1001 办理退款。" : "Please refund QH-1001.";
    const asked = await workspace.inProcess(["--json", "ask", question, "--language", language]);
    expect([asked.code, codeOf(asked)]).toEqual([1, name === "commerce" ? "commerce_not_started" : "database_newer"]);
    expect(asked.stderr).toContain(name === "commerce" ? "newer version of this program" : sentence);
    expect(asked.stderr).not.toMatch(/\n {4}at |Try again/);
    if (name !== "commerce") expect(workspace.query("application", "select * from cases")).toEqual([]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

test("a later commerce database keeps an approved refund waiting, and it is paid once the right program is back", async () => {
  const workspace = createWorkspace();
  const asked = jsonOf(await workspace.inProcess(["--json", "ask", "Please refund QH-1001.", "--language", "en"]));
  const caseId = String(asked.caseId);
  await review(workspace, { caseId, digest: String(asked.digest) }, "--approve");
  changeFile(workspace, "commerce", LATER.commerce);
  expect(codeOf(await run(workspace, "resume", caseId))).toBe("settlement_outcome_unknown");
  expect(caseOf(workspace, caseId)).toMatchObject({ status: "queued", phase: "settle" });
  changeFile(workspace, "commerce", "delete from kysely_migration where name = '9999_later'");
  expect((await run(workspace, "resume", caseId)).code).toBe(0);
  expect(moneyOf(workspace)).toMatchObject({ refunded: 12_900, receipts: 1 });
});
