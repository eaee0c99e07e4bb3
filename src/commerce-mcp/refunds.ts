/** Owns executing a refund: the one place in the product where a balance changes. The caller is not trusted; the order of checks is the contract. */
import type { Kysely, Transaction } from "kysely";
import { canonicalJson } from "../domain/canonical.js";
import { type Clock, toInstant } from "../domain/clock.js";
import type { ReceiptWire } from "../domain/commerce-wire.js";
import { claimedDigest, type Grant } from "../domain/grant.js";
import type { Identity } from "../domain/identity.js";
import type { ApprovalId } from "../domain/ids.js";
import { isExpired, matchesQuote, type Proposal, proposalDigest } from "../domain/proposal.js";
import { Receipt, receiptIdOf } from "../domain/receipt.js";
import { type PolicyBasis, quoteRefund } from "../domain/refund-policy.js";
import type { RefundRules } from "../domain/refund-rules.js";
import type { CommerceTables } from "./commerce-tables.js";
import { type PublicKey, verifyGrant } from "./grants.js";
import { readOwnedOrder } from "./owned-records.js";
import { findReceipt, insertReceipt } from "./receipts.js";
import { Refusal } from "./refusal.js";

export type RefundDependencies = {
  db: Kysely<CommerceTables>;
  identity: Identity;
  rules: RefundRules;
  basis: PolicyBasis;
  /** `YYYY-MM-DD`, from the database. */
  businessDate: string;
  publicKey: PublicKey;
  clock: Clock;
  /** Reads profiles.json anew, so that a reviewer who was revoked while the process runs is noticed. */
  readProfiles: () => Identity[];
};

export type RefundRequest = { approval_id: ApprovalId; grant: string };

/**
 * Executes one approved refund, or returns the receipt of the one that happened. Receipt first, by approval id and the digest the grant
 * claims, before any other check: a revoked reviewer, a late hour or a rotated key never hides a payment that was made.
 * Throws `Refusal`: `idempotency_conflict`, `grant_invalid`, `grant_other_approval`, `order_not_accessible`, `approval_expired`,
 * `reviewer_revoked`, `quote_changed`, checked in this order. A refusal changes nothing.
 */
export function createRefunds(deps: RefundDependencies) {
  return async ({ approval_id, grant: jws }: RefundRequest): Promise<ReceiptWire> => {
    const grant = await verifyGrant(deps.publicKey, jws);
    return deps.db.transaction().execute(async (trx) => {
      const paid = await findReceipt(trx, deps.identity.tenant, approval_id);
      if (paid !== null) {
        if (claimedDigest(jws) !== paid.digest) throw new Refusal("idempotency_conflict");
        return paid.receipt;
      }
      if (grant === null) throw new Refusal("grant_invalid");
      // Read behind the write lock: waiting for it must not carry an approval past its end.
      const nowMs = deps.clock.nowMs();
      assertGranted(grant, approval_id, nowMs, deps);
      await assertUnchanged(trx, grant.proposal, deps);
      return pay(trx, grant.proposal, nowMs);
    });
  };
}

function assertGranted(grant: Grant, approvalId: ApprovalId, nowMs: number, deps: RefundDependencies): void {
  const { proposal, reviewer, decidedAt } = grant;
  const { identity } = deps;
  if (proposal.approvalId !== approvalId) throw new Refusal("grant_other_approval");
  const own =
    proposal.tenant === identity.tenant && proposal.applicant === identity.user && identity.role === "customer";
  if (!own) throw new Refusal("order_not_accessible");
  const decidedInTime = proposal.createdAt <= decidedAt && decidedAt <= proposal.expiresAt;
  if (isExpired(proposal, nowMs) || !decidedInTime) throw new Refusal("approval_expired");
  const reviews = ({ tenant, user, role }: Identity) =>
    tenant === proposal.tenant && user === reviewer && role === "reviewer" && user !== proposal.applicant;
  if (!deps.readProfiles().some(reviews)) throw new Refusal("reviewer_revoked");
}

async function assertUnchanged(
  trx: Transaction<CommerceTables>,
  proposal: Proposal,
  deps: RefundDependencies,
): Promise<void> {
  const order = await readOwnedOrder(trx, deps.identity, proposal.orderId);
  const quote = quoteRefund(order, deps.rules, deps.basis, deps.businessDate);
  const terms = ({
    orderVersion,
    ruleVersion,
    documentVersion,
    policyPages,
    businessDate,
    currency,
  }: Proposal | typeof quote) =>
    canonicalJson({ orderVersion, ruleVersion, documentVersion, policyPages, businessDate, currency });
  if (!matchesQuote(proposal, quote) || terms(proposal) !== terms(quote)) throw new Refusal("quote_changed");
}

async function pay(trx: Transaction<CommerceTables>, proposal: Proposal, nowMs: number): Promise<ReceiptWire> {
  const receipt = Receipt.parse({
    receiptId: receiptIdOf(proposal.approvalId),
    approvalId: proposal.approvalId,
    digest: proposalDigest(proposal),
    orderId: proposal.orderId,
    amountCents: proposal.amountCents,
    currency: proposal.currency,
    simulated: true,
    executedAt: toInstant(nowMs),
  });
  const wire = await insertReceipt(trx, proposal.tenant, receipt);
  const { numUpdatedRows } = await trx
    .updateTable("orders")
    .set((row) => ({
      refunded_cents: row("refunded_cents", "+", proposal.amountCents),
      version: row("version", "+", 1),
    }))
    .where("tenant", "=", proposal.tenant)
    .where("order_id", "=", proposal.orderId)
    .where("user_id", "=", proposal.applicant)
    .where("version", "=", proposal.orderVersion)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new Refusal("quote_changed");
  return wire;
}
