/** Owns comparing what the host recorded with what the commerce service executed, and checking that no event was changed or removed. */
import { z } from "zod";
import { ReceiptWire } from "../domain/commerce-wire.js";
import { AftersalesError } from "../domain/errors.js";
import type { Identity } from "../domain/identity.js";
import { LIMITS } from "../domain/limits.js";
import { receiptDifferences, receiptFromWire } from "../domain/receipt.js";
import type { ApplicationDb } from "./application-database.js";
import { toApproval } from "./approval-rows.js";
import { auditApprovals } from "./audit-approvals.js";
import type { AuditFinding } from "./audit-findings.js";
import type { CommerceBridge } from "./commerce-bridge.js";
import { eventHash, FIRST_HASH } from "./event-log.js";

export type AuditReport = { cases: number; events: number; receipts: number; findings: AuditFinding[] };

const LedgerPage = z.strictObject({
  tenant: z.string(),
  receipts: z.array(ReceiptWire),
  next: z.string().startsWith("qinghe://ledger/").nullable(),
});

type Deps = { db: ApplicationDb; bridge: CommerceBridge };

/** Audits a reviewer's merchant. Reads only. Throws `not_reviewer` for anybody else, `store_unreadable` when the ledger cannot be read. */
export async function auditMerchant({ db, bridge }: Deps, caller: Identity): Promise<AuditReport> {
  if (caller.role !== "reviewer") throw new AftersalesError("not_reviewer");
  const cases = await db.selectFrom("cases").select("case_id").where("tenant", "=", caller.tenant).execute();
  const chains = await Promise.all(cases.map(({ case_id }) => auditChain(db, case_id)));
  const receipts = await readLedger(bridge);
  return {
    cases: cases.length,
    events: chains.reduce((sum, { events }) => sum + events, 0),
    receipts: receipts.length,
    findings: [
      ...chains.flatMap(({ findings }) => findings),
      ...(await auditApprovals(db, caller)),
      ...(await auditReceipts(db, caller, receipts)),
      ...(await auditLimits(db, caller)),
    ],
  };
}

async function readLedger(bridge: CommerceBridge): Promise<ReceiptWire[]> {
  const receipts: ReceiptWire[] = [];
  let next: string | null = "qinghe://ledger";
  try {
    while (next !== null) {
      const page: z.infer<typeof LedgerPage> = LedgerPage.parse(JSON.parse(await bridge.readResource(next)));
      receipts.push(...page.receipts);
      next = page.next;
    }
  } catch (error) {
    if (error instanceof AftersalesError) throw error;
    throw new AftersalesError("store_unreadable", {}, { cause: error });
  }
  return receipts;
}

/** Numbers without gaps, each row naming the hash of the one before it, each hash that of its own row. */
async function auditChain(db: ApplicationDb, caseId: string): Promise<{ events: number; findings: AuditFinding[] }> {
  const rows = await db.selectFrom("events").selectAll().where("case_id", "=", caseId).orderBy("number").execute();
  let previous = FIRST_HASH;
  for (const [index, { seq: _seq, hash, ...fields }] of rows.entries()) {
    if (fields.number !== index + 1 || fields.prev_hash !== previous || eventHash(fields) !== hash) {
      const detail = `event ${fields.number} does not follow from the one before it`;
      return { events: rows.length, findings: [{ kind: "event_chain_broken", subject: caseId, detail }] };
    }
    previous = hash;
  }
  return { events: rows.length, findings: [] };
}

async function auditReceipts(
  db: ApplicationDb,
  caller: Identity,
  receipts: readonly ReceiptWire[],
): Promise<AuditFinding[]> {
  const rows = await db.selectFrom("approvals").selectAll().where("tenant", "=", caller.tenant).execute();
  const approvals = new Map(rows.map((row) => [row.approval_id, toApproval(row)]));
  const paid = new Set(receipts.map(({ approval_id }) => String(approval_id)));
  const findings: AuditFinding[] = [];
  for (const wire of receipts) {
    const approval = approvals.get(wire.approval_id);
    const subject = wire.receipt_id;
    if (approval === undefined || approval.grant === null) {
      findings.push({
        kind: "receipt_without_approval",
        subject,
        detail: "no approval with a grant is recorded for it",
      });
      continue;
    }
    const differences = receiptDifferences(receiptFromWire(wire), approval.proposal);
    if (differences.length > 0) findings.push({ kind: "receipt_differs", subject, detail: differences.join(", ") });
    if (approval.state !== "settled") {
      findings.push({
        kind: "receipt_not_reconciled",
        subject,
        detail: `its approval is ${approval.state}; resume the case`,
      });
    }
  }
  for (const [approvalId, { state }] of approvals) {
    if (state === "settled" && !paid.has(approvalId)) {
      findings.push({
        kind: "settled_without_receipt",
        subject: approvalId,
        detail: "the commerce service has no receipt",
      });
    }
  }
  return findings;
}

async function auditLimits(db: ApplicationDb, caller: Identity): Promise<AuditFinding[]> {
  const live = await db
    .selectFrom("approvals")
    .select(["order_id", (eb) => eb.fn.countAll<number>().as("live")])
    .where("tenant", "=", caller.tenant)
    .where("state", "in", ["pending", "approved"])
    .groupBy("order_id")
    .execute();
  const budgets = await db
    .selectFrom("budgets")
    .innerJoin("cases", "cases.case_id", "budgets.case_id")
    .select(["budgets.case_id", "model_used", "tool_used"])
    .where("tenant", "=", caller.tenant)
    .execute();
  return [
    ...live
      .filter((row) => Number(row.live) > 1)
      .map(
        ({ order_id, live: count }): AuditFinding => ({
          kind: "two_live_proposals",
          subject: order_id,
          detail: `${count} live`,
        }),
      ),
    ...budgets
      .filter(
        ({ model_used, tool_used }) =>
          model_used > LIMITS.modelRequestsPerCase || tool_used > LIMITS.toolRequestsPerCase,
      )
      .map(
        ({ case_id }): AuditFinding => ({
          kind: "budget_exceeded",
          subject: case_id,
          detail: "more requests than allowed",
        }),
      ),
  ];
}
