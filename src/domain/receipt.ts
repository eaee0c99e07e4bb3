/** Owns the receipt of a simulated refund and the comparison that decides whether it is the one that was approved. */
import { z } from "zod";
import type { ReceiptWire } from "./commerce-wire.js";
import { ApprovalId, Instant, OrderId, Sha256Hex } from "./ids.js";
import { Cents } from "./money.js";
import { type Proposal, proposalDigest } from "./proposal.js";

export const Receipt = z.strictObject({
  receiptId: z.string().regex(/^SIM-[A-Za-z0-9-]{1,64}$/),
  approvalId: ApprovalId,
  digest: Sha256Hex,
  orderId: OrderId,
  amountCents: Cents,
  currency: z.literal("CNY"),
  simulated: z.literal(true),
  executedAt: Instant,
});
export type Receipt = z.infer<typeof Receipt>;

/** One receipt per approval: its number follows from the approval's. */
export function receiptIdOf(approvalId: ApprovalId): string {
  return `SIM-${approvalId.replace(/^ap-/, "")}`;
}

export function receiptFromWire(wire: ReceiptWire): Receipt {
  return Receipt.parse({
    receiptId: wire.receipt_id,
    approvalId: wire.approval_id,
    digest: wire.digest,
    orderId: wire.order_id,
    amountCents: wire.amount_cents,
    currency: wire.currency,
    simulated: wire.simulated,
    executedAt: wire.executed_at,
  });
}

export function receiptToWire(receipt: Receipt): ReceiptWire {
  return {
    receipt_id: receipt.receiptId,
    approval_id: receipt.approvalId,
    digest: receipt.digest,
    order_id: receipt.orderId,
    amount_cents: receipt.amountCents,
    currency: receipt.currency,
    simulated: receipt.simulated,
    executed_at: receipt.executedAt,
  };
}

/** The fields in which a receipt differs from the proposal it should settle; empty when it is the right one. */
export function receiptDifferences(receipt: Receipt, proposal: Proposal): string[] {
  const expected: [keyof Receipt, unknown][] = [
    ["receiptId", receiptIdOf(proposal.approvalId)],
    ["approvalId", proposal.approvalId],
    ["digest", proposalDigest(proposal)],
    ["orderId", proposal.orderId],
    ["amountCents", proposal.amountCents],
    ["currency", proposal.currency],
    ["simulated", true],
  ];
  return expected.filter(([field, value]) => receipt[field] !== value).map(([field]) => field);
}
