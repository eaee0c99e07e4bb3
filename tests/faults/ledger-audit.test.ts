import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { copyOf, finishCase } from "../support/fault-points.js";
import { auditLedger, refundedPerOrder } from "../support/ledger-audit.js";
import { workspaceAt } from "../support/workspace.js";

let paid = "";

beforeAll(async () => {
  paid = copyOf(inject("templateDir"));
  await finishCase(paid);
});
afterAll(() => rmSync(paid, { recursive: true, force: true }));

const APPROVAL = "approval_id like 'ap-%'";

/** Each damages one thing of a sound, paid case. */
const damages: [string, "application" | "commerce", string[], string][] = [
  [
    "an order refunded beyond what was paid",
    "commerce",
    ["pragma ignore_check_constraints = on", "update orders set refunded_cents = 99999 where order_id = 'QH-1001'"],
    "more refunded than paid",
  ],
  [
    "a refunded sum that is not its receipts'",
    "commerce",
    ["update orders set refunded_cents = 100 where order_id = 'QH-1001'"],
    "refunded sum differs",
  ],
  [
    "a second receipt for one approval",
    "commerce",
    ["insert into receipts select tenant, 'second', digest, body from receipts"],
    "more than one receipt",
  ],
  [
    "two live proposals for one order",
    "application",
    [
      "drop index one_live_proposal_per_order",
      "update approvals set state = 'approved'",
      `insert into approvals select 'other', case_id, 2, tenant, order_id, proposal, digest, 'pending', null, null, null, null, null, null, expires_at from approvals where ${APPROVAL}`,
    ],
    "more than one live proposal",
  ],
  ["a settled row without its receipt", "commerce", ["delete from receipts"], "settled without a receipt"],
  [
    "a receipt whose row was never approved",
    "application",
    ["update approvals set state = 'pending'"],
    "receipt without an approved row",
  ],
  [
    "a grant that the key did not sign",
    "application",
    ["update approvals set grant_jws = substr(grant_jws, 1, length(grant_jws) - 8) || 'AAAAAAAA'"],
    "without a valid grant",
  ],
  [
    "a proposal changed after its approval",
    "application",
    ["update approvals set proposal = replace(proposal, 'QH-1001', 'QH-1002')"],
    "receipt, grant and approval differ",
  ],
  [
    "a receipt of another amount",
    "commerce",
    ["update receipts set body = replace(body, '12900', '12901')"],
    "receipt, grant and approval differ",
  ],
  [
    "a budget above its limit",
    "application",
    ["pragma ignore_check_constraints = on", "update budgets set tool_used = 25"],
    "budget above its limit",
  ],
  ["an event edited", "application", ["update events set code = 'x' where number = 2"], "event chain broken"],
  ["an event removed", "application", ["delete from events where number = 2"], "event chain broken"],
];

test("the ledger audit finds nothing in a sound, paid case", async () => {
  expect(await auditLedger(paid, refundedPerOrder(inject("templateDir")))).toEqual([]);
  expect(workspaceAt(paid).query("commerce", "select digest from receipts")).toHaveLength(1);
});

test.each(damages)("the ledger audit finds %s", async (_what, database, statements, sentence) => {
  const damaged = copyOf(paid);
  try {
    workspaceAt(damaged).tamperAll(database, statements);
    expect((await auditLedger(damaged, refundedPerOrder(inject("templateDir")))).join("\n")).toContain(sentence);
  } finally {
    rmSync(damaged, { recursive: true, force: true });
  }
});
