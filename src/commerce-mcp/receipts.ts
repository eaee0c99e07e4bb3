/** Owns the receipts: one per tenant and approval, kept as the text that was first answered. Receipts are never changed or removed. */
import type { Kysely } from "kysely";
import { ReceiptWire } from "../domain/commerce-wire.js";
import type { ApprovalId, TenantId } from "../domain/ids.js";
import { type Receipt, receiptToWire } from "../domain/receipt.js";
import type { CommerceTables } from "./commerce-tables.js";

type Store = Kysely<CommerceTables>;

export type StoredReceipt = { digest: string; receipt: ReceiptWire };

/** The receipt under a merchant's approval id, or null. `db` may be a transaction. */
export async function findReceipt(db: Store, tenant: TenantId, approvalId: ApprovalId): Promise<StoredReceipt | null> {
  const row = await db
    .selectFrom("receipts")
    .select(["digest", "body"])
    .where("tenant", "=", tenant)
    .where("approval_id", "=", approvalId)
    .executeTakeFirst();
  return row === undefined ? null : { digest: row.digest, receipt: ReceiptWire.parse(JSON.parse(row.body)) };
}

/** Writes a receipt and returns it as it will be answered. Throws SQLITE_CONSTRAINT when the approval id has one. */
export async function insertReceipt(db: Store, tenant: TenantId, receipt: Receipt): Promise<ReceiptWire> {
  const wire = receiptToWire(receipt);
  const { approvalId, digest } = receipt;
  await db
    .insertInto("receipts")
    .values({ tenant, approval_id: approvalId, digest, body: JSON.stringify(ReceiptWire.parse(wire)) })
    .execute();
  return wire;
}

/** At most `limit` receipts of a tenant in the order of their approval ids, beginning behind `after`. */
export async function listReceipts(
  db: Store,
  tenant: TenantId,
  { after, limit }: { after: ApprovalId | null; limit: number },
): Promise<ReceiptWire[]> {
  const rows = await db
    .selectFrom("receipts")
    .select("body")
    .where("tenant", "=", tenant)
    .where("approval_id", ">", after ?? "")
    .orderBy("approval_id")
    .limit(limit)
    .execute();
  return rows.map(({ body }) => ReceiptWire.parse(JSON.parse(body)));
}
