import { expect, it } from "vitest";
import { askForRefund } from "../support/refund-story.js";
import { createWorkspace, jsonOf, type Workspace } from "../support/workspace.js";

/** A workspace with one settled and one waiting case. */
async function settled(): Promise<{ workspace: Workspace; caseId: string }> {
  const workspace = createWorkspace();
  const { caseId, digest } = await askForRefund(workspace);
  await workspace.inProcess(["--profile", "chen", "review", caseId, "--digest", digest, "--approve"]);
  await workspace.inProcess(["resume", caseId]);
  await askForRefund(workspace, "QH-1002");
  return { workspace, caseId };
}

const audit = (workspace: Workspace, profile = "chen") =>
  workspace.inProcess(["--json", "--profile", profile, "audit"]);

it("an audit of untouched records finds nothing and tells what it compared", async () => {
  const { workspace } = await settled();
  const run = await audit(workspace);
  expect(run.code).toBe(0);
  expect(jsonOf(run)).toMatchObject({ cases: 2, receipts: 1, findings: [] });
});

it("only reviewers audit, and only their own merchant", async () => {
  const { workspace } = await settled();
  expect(jsonOf(await audit(workspace, "alice"))).toMatchObject({ error: { code: "not_reviewer" } });
  expect(jsonOf(await audit(workspace, "mei"))).toMatchObject({ cases: 0, receipts: 0 });
});

it.each([
  ["an edited event", "application", "update events set status = 'ok' where number = 2", "event_chain_broken"],
  ["a removed event", "application", "delete from events where number = 2", "event_chain_broken"],
  ["the last events cut off", "application", "delete from events where number > 5", "event_missing"],
  ["all events gone", "application", "delete from events", "event_missing"],
  [
    "another amount in a proposal",
    "application",
    "update approvals set proposal = replace(proposal, '12900', '12901')",
    "approval_altered",
  ],
  [
    "an approval that was lengthened",
    "application",
    "update approvals set expires_at = '2099-01-01T00:00:00.000Z'",
    "approval_altered",
  ],
  [
    "an approval moved to another order",
    "application",
    "update approvals set order_id = 'QH-1002'",
    "approval_altered",
  ],
  [
    "an approval set by hand",
    "application",
    "update approvals set state = 'approved', grant_jws = null",
    "approval_altered",
  ],
  [
    "a receipt without an approval",
    "application",
    "update approvals set grant_jws = null where state = 'settled'",
    "receipt_without_approval",
  ],
  [
    "a receipt of another amount",
    "commerce",
    "update receipts set body = replace(body, '\"amount_cents\":12900', '\"amount_cents\":14100')",
    "receipt_differs",
  ],
  ["a settlement without a receipt", "commerce", "delete from receipts", "settled_without_receipt"],
  [
    "a payment the host does not know of",
    "application",
    "update approvals set state = 'approved' where state = 'settled'",
    "receipt_not_reconciled",
  ],
] as const)("an audit finds %s", async (_name, database, sql, kind) => {
  const { workspace } = await settled();
  workspace.tamper(database, sql);
  const run = await audit(workspace);
  expect(run.code).toBe(1);
  expect(jsonOf(run)).toMatchObject({ error: { code: "audit_failed" } });
  expect(run.stderr).toContain(kind);
});
