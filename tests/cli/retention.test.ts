import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClocks } from "../../src/graph/compose.js";
import { askForRefund, Waiting } from "../support/refund-story.js";
import { createWorkspace, jsonOf, type Workspace } from "../support/workspace.js";

const CANARY = "the heron standing on the blue gate";
const DAY_MS = 86_400_000;
const inDays = (days: number) => ({
  clocks: { ...systemClocks, runtime: { nowMs: () => Date.now() + days * DAY_MS } },
});

/** Every byte the host keeps, as text. */
function hostFiles(workspace: Workspace): string {
  const folder = join(workspace.stateDir, "host");
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

async function endedCase(workspace: Workspace): Promise<string> {
  const run = await workspace.inProcess([
    "--json",
    "ask",
    `Please refund QH-1001, says ${CANARY}.`,
    "--language",
    "en",
  ]);
  const { caseId, digest } = Waiting.parse(jsonOf(run));
  await workspace.inProcess(["--profile", "chen", "review", caseId, "--digest", digest, "--approve"]);
  await workspace.inProcess(["resume", caseId]);
  return caseId;
}

describe("forget", () => {
  it("removes the text of one ended case from every file and keeps its decision and receipt", async () => {
    const workspace = createWorkspace();
    const caseId = await endedCase(workspace);
    expect(hostFiles(workspace).includes(CANARY)).toBe(true);
    expect((await workspace.inProcess(["forget", caseId])).code).toBe(0);
    expect(hostFiles(workspace).includes(CANARY)).toBe(false);
    const shown = jsonOf(await workspace.inProcess(["--json", "inspect", caseId]));
    expect(shown).toMatchObject({
      status: "completed",
      question: "",
      decision: { decision: "approve", reviewer: "chen" },
    });
    expect(shown).toMatchObject({ receipt: { amountCents: 12900 } });
    expect(workspace.query("application", "select events, purged_by from purges")).toMatchObject([
      { purged_by: "alice" },
    ]);
    expect((await workspace.inProcess(["--json", "--profile", "chen", "audit"])).code).toBe(0);
  });

  it("refuses a case that still waits, and somebody else's", async () => {
    const workspace = createWorkspace();
    const { caseId } = await askForRefund(workspace);
    expect(jsonOf(await workspace.inProcess(["--json", "forget", caseId]))).toMatchObject({
      error: { code: "case_not_ended" },
    });
    expect(jsonOf(await workspace.inProcess(["--json", "--profile", "bob", "forget", caseId]))).toMatchObject({
      error: { code: "case_not_accessible" },
    });
    expect(jsonOf(await workspace.inProcess(["--json", "inspect", caseId]))).toMatchObject({
      status: "waiting_approval",
    });
  });
});

describe("purge", () => {
  it("takes only finished cases of the reviewer's merchant that are old enough, once", async () => {
    const workspace = createWorkspace();
    const ended = await endedCase(workspace);
    const { caseId: waiting } = await askForRefund(workspace, "QH-1002");
    const purge = (profile: string, days: number) =>
      workspace.inProcess(["--json", "--profile", profile, "purge", "--older-than", "90d"], inDays(days));
    expect(jsonOf(await purge("chen", 89))).toEqual({ purged: [] });
    expect(jsonOf(await purge("mei", 91))).toEqual({ purged: [] });
    expect(jsonOf(await purge("alice", 91))).toMatchObject({ error: { code: "not_reviewer" } });
    expect(jsonOf(await purge("chen", 91))).toEqual({ purged: [ended] });
    expect(jsonOf(await purge("chen", 92))).toEqual({ purged: [] });
    expect(hostFiles(workspace).includes(CANARY)).toBe(false);
    expect(jsonOf(await workspace.inProcess(["--json", "inspect", waiting]))).toMatchObject({
      status: "waiting_approval",
    });
    const usage = await workspace.inProcess(["--json", "purge", "--older-than", "soon"]);
    expect(usage.code).toBe(2);
  });
});

describe("history", () => {
  it("of a waiting case is one checkpoint, unless it is kept", async () => {
    const workspace = createWorkspace();
    const count = "select count(*) as steps from checkpoints";
    await workspace.inProcess(["ask", "Please refund QH-1001.", "--language", "en"]);
    expect(workspace.query("checkpoints", count)).toEqual([{ steps: 1 }]);
    await workspace.inProcess(["--keep-history", "ask", "Please refund QH-1002.", "--language", "en"]);
    expect(Number(workspace.query("checkpoints", count)[0]?.steps)).toBeGreaterThan(5);
  });
});
