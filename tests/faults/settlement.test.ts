import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { LIMITS } from "../../src/domain/limits.js";
import { faultyCommerce, resumeWith, type Scenario } from "../support/fault-commerce.js";
import {
  approvalOf,
  caseOf,
  clocksMoved,
  codeOf,
  moneyOf,
  PAID_ONCE,
  recordOf,
  review,
  run,
  UNPAID,
} from "../support/graph-case.js";
import { askForRefund, type Waiting } from "../support/refund-story.js";
import { createWorkspace, jsonOf, ROOT, type Workspace } from "../support/workspace.js";

async function approvedCase(): Promise<{ workspace: Workspace; waiting: Waiting; caseId: string }> {
  const workspace = createWorkspace();
  const waiting = await askForRefund(workspace);
  expect((await review(workspace, waiting, "--approve")).code).toBe(0);
  return { workspace, waiting, caseId: waiting.caseId };
}

/** The case is completed and paid once, with the receipt that the service holds. */
function expectSettled(workspace: Workspace, { caseId, digest }: { caseId: string; digest: string }): void {
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  expect(caseOf(workspace, caseId)).toMatchObject({ status: "completed", phase: "done", error_code: null });
  const [held] = workspace.query("commerce", "select body from receipts");
  const receipt = z.looseObject({ receipt_id: z.string() }).parse(JSON.parse(String(held?.body)));
  expect(JSON.parse(approvalOf(workspace, caseId).receipt ?? "null")).toMatchObject({
    receiptId: receipt.receipt_id,
    digest,
    amountCents: 12_900,
  });
  expect(recordOf(workspace, caseId).receipt).toMatchObject({ receiptId: receipt.receipt_id });
}

const UNKNOWN = { status: "queued", phase: "settle", error: { code: "settlement_outcome_unknown" } };

describe("one reply that goes wrong", () => {
  const once: [string, Scenario, number][] = [
    ["lost because the service was killed after its commit", { fault: "die" }, 2],
    ["never given because the service was killed before it saw the request", { fault: "die-before" }, 2],
    ["of another shape", { fault: "misshape" }, 2],
    ["an error of the protocol", { fault: "refuse" }, 2],
    ["sent twice", { fault: "twice" }, 1],
    ["slow", { fault: "slow", delayMs: 400 }, 1],
  ];

  test.each(once)("%s: the case reads the one receipt back by itself", async (_what, scenario, asked) => {
    const { workspace, waiting, caseId } = await approvedCase();
    const commerce = faultyCommerce(scenario);
    const resumed = await resumeWith(workspace, caseId, commerce);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(commerce.asked()).toBe(asked);
    expectSettled(workspace, waiting);
  });

  test.each(["drop", "late", "garble"] as const)("%s: is waited for 15 seconds and then read back", async (fault) => {
    const { workspace, waiting, caseId } = await approvedCase();
    const commerce = faultyCommerce({ fault });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    const resuming = resumeWith(workspace, caseId, commerce);
    await vi.waitFor(() => expect(commerce.answered()).toBe(1), { timeout: 10_000, interval: 20 });
    await vi.advanceTimersByTimeAsync(LIMITS.toolCallMs);
    const resumed = await resuming;
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(commerce.asked()).toBe(2);
    expectSettled(workspace, waiting);
  });

  test("killed after its commit, as processes: the customer's own command ends with the receipt", async () => {
    const { workspace, waiting, caseId } = await approvedCase();
    const commerce = faultyCommerce({ fault: "die" });
    const resumed = await workspace.cli(["--json", "resume", caseId], { env: commerce.env });
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(commerce.started()).toHaveLength(2);
    expectSettled(workspace, waiting);
  });
});

describe("every reply lost", () => {
  test("leaves the outcome unknown, and a later resume finds the one receipt", async () => {
    const { workspace, waiting, caseId } = await approvedCase();
    const commerce = faultyCommerce({ fault: "die", times: 99 });
    const lost = await workspace.cli(["--json", "resume", caseId], { env: commerce.env });
    expect(lost.code).toBe(1);
    expect(jsonOf(lost)).toMatchObject(UNKNOWN);
    expect(lost.stdout).not.toContain("SIM-");
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
    expect(approvalOf(workspace, caseId)).toMatchObject({ state: "approved", receipt: null });
    expect(jsonOf(await run(workspace, "inspect", caseId))).toMatchObject(UNKNOWN);
    expect((await run(workspace, "resume", caseId)).code).toBe(0);
    expectSettled(workspace, waiting);
  });

  test("or useless thirty times in a row costs no budget and ends with the one receipt", async () => {
    const { workspace, waiting, caseId } = await approvedCase();
    workspace.tamper("application", "update budgets set model_used = 20, tool_used = 24");
    const commerce = faultyCommerce({ fault: "misshape", times: 30 });
    for (let round = 0; round < 15; round += 1) {
      expect(jsonOf(await resumeWith(workspace, caseId, commerce))).toMatchObject(UNKNOWN);
    }
    expect(commerce.asked()).toBe(30);
    expect((await resumeWith(workspace, caseId, commerce)).code).toBe(0);
    expect(workspace.query("application", "select model_used, tool_used from budgets")).toEqual([
      { model_used: 20, tool_used: 24 },
    ]);
    expectSettled(workspace, waiting);
  });

  test("is settled although the reviewer has left since", async () => {
    const { workspace, waiting, caseId } = await approvedCase();
    const lost = await resumeWith(workspace, caseId, faultyCommerce({ fault: "die", times: 2 }));
    expect(jsonOf(lost)).toMatchObject(UNKNOWN);
    const resumed = await workspace.inProcess(["--json", "--data", dataWithoutReviewer(), "resume", caseId]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expectSettled(workspace, waiting);
  });
});

test("a host that is killed after the service's commit leaves a case that the next one completes", async () => {
  const { workspace, waiting, caseId } = await approvedCase();
  const killed = await workspace.cli(["--json", "resume", caseId], { env: faultyCommerce({ fault: "kill-host" }).env });
  expect(killed).toMatchObject({ code: -1, stdout: "" });
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  expect(caseOf(workspace, caseId)).toMatchObject({ status: "running", phase: "settle" });
  expect(codeOf(await run(workspace, "resume", caseId))).toBe("case_busy");
  const afterLease = clocksMoved(LIMITS.leaseMs + 1_000);
  expect((await run(workspace, "resume", caseId, { clocks: afterLease })).code).toBe(0);
  expectSettled(workspace, waiting);
});

test("a reviewer who leaves before the execution has approved nothing", async () => {
  const { workspace, caseId } = await approvedCase();
  const refused = await workspace.inProcess(["--json", "--data", dataWithoutReviewer(), "resume", caseId]);
  expect(jsonOf(refused)).toMatchObject({ status: "waiting_approval", error: { code: "reviewer_revoked" } });
  expect(moneyOf(workspace)).toEqual(UNPAID);
});

test("an order changed while the replies were lost does not hide the receipt", async () => {
  const { workspace, waiting, caseId } = await approvedCase();
  await resumeWith(workspace, caseId, faultyCommerce({ fault: "die", times: 2 }));
  workspace.tamper("commerce", "update orders set version = version + 1 where order_id = 'QH-1001'");
  expect((await run(workspace, "resume", caseId)).code).toBe(0);
  expect(moneyOf(workspace)).toEqual({ ...PAID_ONCE, version: 3 });
  expect(approvalOf(workspace, caseId)).toMatchObject({ state: "settled", digest: waiting.digest });
});

describe("a receipt that is not the one that was approved", () => {
  const OTHER = "0".repeat(64);
  const wrong: [string, Record<string, unknown>][] = [
    ["receiptId", { receipt_id: "SIM-1" }],
    ["approvalId", { approval_id: "ap-of-another-case" }],
    ["digest", { digest: OTHER }],
    ["orderId", { order_id: "QH-1002" }],
    ["amountCents", { amount_cents: 99_999_999 }],
  ];

  test.each(wrong)("in its %s does not complete the case and is not shown", async (field, change) => {
    const { workspace, waiting, caseId } = await approvedCase();
    const refused = await resumeWith(workspace, caseId, faultyCommerce({ fault: "change", change, times: 99 }));
    expect(refused.code).toBe(1);
    expect(jsonOf(refused)).toMatchObject({ status: "failed", phase: "settle", error: { code: "receipt_mismatch" } });
    expect(refused.stderr).toContain(field);
    for (const shown of [refused.stdout, refused.stderr]) {
      expect(shown).not.toContain(String(Object.values(change)[0]));
      expect(shown).not.toMatch(/SIM-|"receipt"|999,?999\.99/);
    }
    expect(approvalOf(workspace, caseId)).toMatchObject({ state: "approved", receipt: null });
    expect(recordOf(workspace, caseId).receipt).toBeNull();

    expect((await run(workspace, "resume", caseId, { flags: ["--retry"] })).code).toBe(0);
    expectSettled(workspace, waiting);
  });

  test.each([
    ["currency", { currency: "USD" }],
    ["simulated", { simulated: false }],
    ["executedAt", { executed_at: "yesterday" }],
    ["fields", { note: "paid twice" }],
  ])("in its %s, which the contract fixes, counts as no reply at all", async (_field, change) => {
    const { workspace, waiting, caseId } = await approvedCase();
    const refused = await resumeWith(workspace, caseId, faultyCommerce({ fault: "change", change, times: 99 }));
    expect(refused.code).toBe(1);
    expect(jsonOf(refused)).toMatchObject(UNKNOWN);
    expect(refused.stdout).not.toMatch(/SIM-|"receipt"/);
    expect(approvalOf(workspace, caseId)).toMatchObject({ state: "approved", receipt: null });
    expect((await run(workspace, "resume", caseId)).code).toBe(0);
    expectSettled(workspace, waiting);
  });
});

/** The merchant's data as it is, but Chen is no longer among the profiles. */
function dataWithoutReviewer(): string {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(ROOT, "data"), folder, { recursive: true });
  const file = join(folder, "profiles.json");
  const { profiles, ...rest } = z
    .looseObject({ profiles: z.array(z.looseObject({ user: z.string() })) })
    .parse(JSON.parse(readFileSync(file, "utf8")));
  writeFileSync(file, JSON.stringify({ ...rest, profiles: profiles.filter(({ user }) => user !== "chen") }));
  return folder;
}
