/** Owns the refund proposal: everything that must not change between a human's approval and the payment, and the digest that names it. */
import { z } from "zod";
import { digestOf } from "./canonical.js";
import { toInstant } from "./clock.js";
import { ApprovalId, CalendarDate, CaseId, Instant, OrderId, Sha256Hex, TenantId, UserId } from "./ids.js";
import { LIMITS } from "./limits.js";
import { Cents } from "./money.js";
import { PolicyPageRef, type Quote } from "./refund-policy.js";

export const Proposal = z.strictObject({
  approvalId: ApprovalId,
  caseId: CaseId,
  tenant: TenantId,
  applicant: UserId,
  orderId: OrderId,
  orderVersion: z.int().min(1),
  ruleVersion: z.string(),
  documentVersion: z.string(),
  policyPages: z.array(PolicyPageRef).min(1),
  businessDate: CalendarDate,
  quoteId: Sha256Hex,
  amountCents: Cents.refine((cents) => cents > 0, "must be above zero"),
  currency: z.literal("CNY"),
  createdAt: Instant,
  expiresAt: Instant,
});
export type Proposal = z.infer<typeof Proposal>;

/** Names this exact proposal. Approval and payment both quote it; any changed field gives another digest. */
export function proposalDigest(proposal: Proposal): Sha256Hex {
  return digestOf("qinghe.refund-proposal.v1", Proposal.parse(proposal));
}

/** Stable for a case and its round, so that a delivery repeated after a crash finds its own row again. */
export function approvalIdOf(caseId: CaseId, round: number): ApprovalId {
  return ApprovalId.parse(`ap-${caseId}-${round}`);
}

export type ProposalOwner = { caseId: CaseId; round: number; tenant: TenantId; applicant: UserId };

/** Turns an eligible quote into a proposal that lives 15 minutes from `nowMs`. Throws when the quote is not eligible. */
export function proposeRefund(quote: Quote, owner: ProposalOwner, nowMs: number): Proposal {
  if (!quote.eligible) throw new TypeError("only an eligible quote can be proposed");
  return Proposal.parse({
    approvalId: approvalIdOf(owner.caseId, owner.round),
    caseId: owner.caseId,
    tenant: owner.tenant,
    applicant: owner.applicant,
    orderId: quote.orderId,
    orderVersion: quote.orderVersion,
    ruleVersion: quote.ruleVersion,
    documentVersion: quote.documentVersion,
    policyPages: quote.policyPages,
    businessDate: quote.businessDate,
    quoteId: quote.quoteId,
    amountCents: quote.amountCents,
    currency: quote.currency,
    createdAt: toInstant(nowMs),
    expiresAt: toInstant(nowMs + LIMITS.approvalMs),
  });
}

/** At exactly 15 minutes a proposal still counts; a moment later it does not. */
export function isExpired(proposal: Pick<Proposal, "expiresAt">, nowMs: number): boolean {
  return nowMs > Date.parse(proposal.expiresAt);
}

/** Whether a fresh quote still says exactly what was approved. */
export function matchesQuote(proposal: Proposal, quote: Quote): boolean {
  return quote.eligible && quote.quoteId === proposal.quoteId && quote.amountCents === proposal.amountCents;
}
