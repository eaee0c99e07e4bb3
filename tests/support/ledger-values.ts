/** Valid domain values that tests change field by field: an eligible order, its quote, its proposal, its decision. */
import type { Approval } from "../../src/domain/approval.js";
import { textHash } from "../../src/domain/canonical.js";
import { CaseRow } from "../../src/domain/case.js";
import type { Plan } from "../../src/domain/contracts.js";
import { Identity } from "../../src/domain/identity.js";
import { CaseId, OrderId, TenantId, UserId } from "../../src/domain/ids.js";
import { Order } from "../../src/domain/order.js";
import { type Proposal, proposalDigest, proposeRefund } from "../../src/domain/proposal.js";
import { type PolicyBasis, type Quote, quoteRefund } from "../../src/domain/refund-policy.js";
import { RefundRules } from "../../src/domain/refund-rules.js";

export const BUSINESS_DATE = "2026-09-12";
export const NOW_MS = Date.parse("2026-09-12T08:00:00.000Z");
export const CASE_ID = CaseId.parse("6d7f0a9c-0000-4000-8000-000000000001");
export const OTHER_CASE_ID = CaseId.parse("6d7f0a9c-0000-4000-8000-000000000002");
export const ORDER_ID = OrderId.parse("QH-1001");
export const QINGHE = TenantId.parse("qinghe");
export const ALICE_USER = UserId.parse("alice");

const identity = (user: string, role: "customer" | "reviewer", tenant = "qinghe"): Identity =>
  Identity.parse({ tenant, user, role });
export const alice = identity("alice", "customer");
export const bob = identity("bob", "customer");
export const chen = identity("chen", "reviewer");
export const dana = identity("dana", "reviewer");
export const southReviewer = identity("mei", "reviewer", "south");

export function ruleSet(changes: Record<string, unknown> = {}): RefundRules {
  return RefundRules.parse({
    version: "returns-2026-09",
    tenant: "qinghe",
    return_days: 30,
    excluded_categories: ["custom", "digital"],
    automatic_quantity: 1,
    policy_pages: ["RETURNS:p02", "RETURNS:p03"],
    terms_by: "request_date",
    currency: "CNY",
    description: { zh: "整件退款。", en: "Whole items only." },
    ...changes,
  });
}

export function policyBasis(changes: Partial<PolicyBasis> = {}): PolicyBasis {
  return {
    documentVersion: "2026-09",
    policyPages: [
      { page: "RETURNS:p02", textHash: textHash("two") },
      { page: "RETURNS:p03", textHash: textHash("three") },
    ],
    ...changes,
  };
}

/** Delivered 7 days ago, 12,900 cents paid for the items, 1,200 for freight, back in the warehouse. */
export function order(changes: Record<string, unknown> = {}): Order {
  return Order.parse({
    orderId: "QH-1001",
    tenant: "qinghe",
    user: "alice",
    sku: "DESK-01",
    category: "standard",
    status: "delivered",
    quantity: 1,
    listPriceCents: 14_900,
    discountCents: 2_000,
    paidItemsCents: 12_900,
    shippingCents: 1_200,
    refundedCents: 0,
    deliveredOn: "2026-09-05",
    returnReceived: true,
    version: 1,
    invoiceId: "INV-1001",
    ...changes,
  });
}

export function quote(changes: Record<string, unknown> = {}, basis = policyBasis()): Quote {
  return quoteRefund(order(changes), ruleSet(), basis, BUSINESS_DATE);
}

export function proposal(changes: Partial<Proposal> = {}, owner: { caseId?: CaseId; round?: number } = {}): Proposal {
  const { caseId = CASE_ID, round = 1 } = owner;
  const made = proposeRefund(quote(), { caseId, round, tenant: QINGHE, applicant: ALICE_USER }, NOW_MS);
  return { ...made, ...changes };
}

export function approval(changes: Partial<Approval> = {}, of: Proposal = proposal()): Approval {
  return {
    round: 1,
    proposal: of,
    digest: proposalDigest(of),
    state: "pending",
    voidCode: null,
    reviewer: null,
    decidedAt: null,
    reason: null,
    grant: null,
    receipt: null,
    ...changes,
  };
}

export function plan(changes: Partial<Plan> = {}): Plan {
  return { intent: "refund", orderId: ORDER_ID, actionRequested: true, queries: [], milestones: [], ...changes };
}

export function caseRow(changes: Partial<CaseRow> = {}): CaseRow {
  return CaseRow.parse({
    caseId: CASE_ID,
    tenant: "qinghe",
    applicant: "alice",
    question: "Please refund QH-1001.",
    language: "en",
    model: "scripted",
    graphVersion: "1",
    status: "running",
    phase: "plan",
    orderId: null,
    answer: null,
    quote: null,
    evidence: null,
    liveProposal: null,
    artifact: null,
    errorCode: null,
    createdAt: "2026-09-12T08:00:00.000Z",
    updatedAt: "2026-09-12T08:00:00.000Z",
    ...changes,
  });
}
