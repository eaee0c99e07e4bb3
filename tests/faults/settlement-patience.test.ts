import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { approvalOf, caseOf, moneyOf, PAID_ONCE } from "../support/graph-case.js";
import { createWorld } from "../support/lifecycle-world.js";
import { ROOT } from "../support/workspace.js";

const START_MS = Date.parse("2026-09-12T10:00:00.000Z");
const HOUR_MS = 3_600_000;

test("thirty lost replies, a reviewer who left and an hour past the end later, the same receipt is found", async () => {
  const world = await createWorld(START_MS);
  onTestFinished(world.close);
  const { workspace } = world;
  const { caseId } = await world.command("alice", "ask", "Please refund QH-1001.", "--language", "en");
  const id = z.string().parse(caseId);
  await world.command("chen", "review", id, "--digest", approvalOf(workspace, id).digest, "--approve");
  world.commerce.loseReceipts = 30;
  for (let round = 0; round < 15; round += 1) {
    expect((await world.command("alice", "resume", id)).code).toBe("settlement_outcome_unknown");
    if (round === 5) world.setClock(START_MS + HOUR_MS);
    expect(caseOf(workspace, id)).toMatchObject({ status: "queued", phase: "settle" });
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  }
  expect(world.commerce.loseReceipts).toBe(0);
  const [paid] = workspace.query("commerce", "select body from receipts");
  expect((await world.command("alice", "--data", dataWithout("chen"), "resume", id)).exit).toBe(0);
  expect(caseOf(workspace, id)).toMatchObject({ status: "completed", error_code: null });
  const { executed_at, receipt_id } = z
    .looseObject({ executed_at: z.string(), receipt_id: z.string() })
    .parse(JSON.parse(String(paid?.body)));
  expect(JSON.parse(approvalOf(workspace, id).receipt ?? "null")).toMatchObject({
    receiptId: receipt_id,
    executedAt: executed_at,
  });
  expect(executed_at).toBe(new Date(START_MS).toISOString());
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
});

/** The merchant's data as it is, without one profile. */
function dataWithout(user: string): string {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(ROOT, "data"), folder, { recursive: true });
  const file = join(folder, "profiles.json");
  const Profiles = z.looseObject({ profiles: z.array(z.looseObject({ user: z.string() })) });
  const all = Profiles.parse(JSON.parse(readFileSync(file, "utf8")));
  writeFileSync(file, JSON.stringify({ ...all, profiles: all.profiles.filter((profile) => profile.user !== user) }));
  return folder;
}
