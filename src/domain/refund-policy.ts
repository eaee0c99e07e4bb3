/** Owns refund eligibility and the refundable amount: the only refund arithmetic in the product. Both processes run exactly this. */
import { z } from "zod";
import { digestOf } from "./canonical.js";
import { daysBetween } from "./clock.js";
import { CalendarDate, OrderId, PageId, Sha256Hex } from "./ids.js";
import { balanceCents, Cents, ZERO_CENTS } from "./money.js";
import type { Order } from "./order.js";
import type { RefundRules } from "./refund-rules.js";

export const QuoteReason = z.enum([
  "merchant_requires_manual_review",
  "not_delivered",
  "excluded_category",
  "quantity_needs_human",
  "outside_window",
  "return_not_received",
  "already_refunded",
  "eligible",
]);
export type QuoteReason = z.infer<typeof QuoteReason>;

export const PolicyPageRef = z.strictObject({ page: PageId, textHash: Sha256Hex });
export type PolicyPageRef = z.infer<typeof PolicyPageRef>;

const quoteFields = {
  orderId: OrderId,
  orderVersion: z.int().min(1),
  ruleVersion: z.string(),
  termsBy: z.literal("request_date"),
  documentVersion: z.string().nullable(),
  policyPages: z.array(PolicyPageRef),
  businessDate: CalendarDate,
  daysSinceDelivery: z.int().nullable(),
  amountCents: Cents,
  shippingRefundCents: z.literal(0),
  currency: z.literal("CNY"),
  eligible: z.boolean(),
  reason: QuoteReason,
};

export const Quote = z.strictObject({ ...quoteFields, quoteId: Sha256Hex });
export type Quote = z.infer<typeof Quote>;

/** The mandatory pages a quote rests on. Empty for a merchant without an automatic policy. */
export type PolicyBasis = { documentVersion: string | null; policyPages: PolicyPageRef[] };

/**
 * Quotes one order. Rule order (the first that matches decides): other merchant, not delivered, excluded category,
 * quantity, window, warehouse receipt, balance. Day `return_days` is still inside the window.
 * The amount is what was paid for the items minus earlier refunds, in cents; freight is never part of it.
 */
export function quoteRefund(order: Order, rules: RefundRules, basis: PolicyBasis, businessDate: string): Quote {
  const days = order.deliveredOn === null ? null : daysBetween(order.deliveredOn, businessDate);
  const reason = decideReason(order, rules, days);
  const eligible = reason === "eligible";
  const fields = {
    orderId: order.orderId,
    orderVersion: order.version,
    ruleVersion: rules.version,
    termsBy: rules.terms_by,
    documentVersion: basis.documentVersion,
    policyPages: basis.policyPages,
    businessDate,
    daysSinceDelivery: days,
    amountCents: eligible ? balanceCents(order.paidItemsCents, order.refundedCents) : ZERO_CENTS,
    shippingRefundCents: 0 as const,
    currency: rules.currency,
    eligible,
    reason,
  };
  return Quote.parse({ ...fields, quoteId: digestOf("qinghe.refund-quote.v1", fields) });
}

function decideReason(order: Order, rules: RefundRules, days: number | null): QuoteReason {
  if (order.tenant !== rules.tenant) return "merchant_requires_manual_review";
  if (order.status !== "delivered" || days === null || days < 0) return "not_delivered";
  if (rules.excluded_categories.some((category) => category === order.category)) return "excluded_category";
  if (order.quantity !== rules.automatic_quantity) return "quantity_needs_human";
  if (days > rules.return_days) return "outside_window";
  if (!order.returnReceived) return "return_not_received";
  if (order.refundedCents >= order.paidItemsCents) return "already_refunded";
  return "eligible";
}

/** The quote as a model reads it. */
export function quoteToWire(quote: Quote): Record<string, unknown> {
  return {
    order_id: quote.orderId,
    order_version: quote.orderVersion,
    rule_version: quote.ruleVersion,
    terms_by: quote.termsBy,
    document_version: quote.documentVersion,
    policy_pages: quote.policyPages.map(({ page }) => page),
    business_date: quote.businessDate,
    days_since_delivery: quote.daysSinceDelivery,
    amount_cents: quote.amountCents,
    shipping_refund_cents: quote.shippingRefundCents,
    currency: quote.currency,
    eligible: quote.eligible,
    reason: quote.reason,
    quote_id: quote.quoteId,
  };
}
