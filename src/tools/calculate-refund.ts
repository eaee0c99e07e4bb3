/** Owns the tool that quotes a refund: a fresh order, the executable rules, and the policy pages they rest on. It takes no amount. */
import { z } from "zod";
import { COMMERCE_ARGUMENTS, OrderWire, type ToolErrorWire } from "../domain/commerce-wire.js";
import { AftersalesError, toolError } from "../domain/errors.js";
import type { Language, OrderId } from "../domain/ids.js";
import { orderFromWire } from "../domain/order.js";
import type { Passage } from "../domain/policy-document.js";
import type { Applicant, CallOptions, CommerceFor, Knowledge, RefundTerms } from "../domain/ports.js";
import { type Quote, quoteRefund, quoteToWire } from "../domain/refund-policy.js";
import { defineTool, type Tool } from "./tool.js";

export type QuoteOutcome =
  | { kind: "ok"; quote: Quote; order: OrderWire; passages: Passage[] }
  | { kind: "error"; error: ToolErrorWire }
  | { kind: "cancelled" };

export type QuoteOrder = (
  input: { orderId: OrderId; applicant: Applicant; language: Language },
  options: CallOptions,
) => Promise<QuoteOutcome>;

type Deps = { commerceFor: CommerceFor; terms: RefundTerms; knowledge: Knowledge };

/** Quotes one order from a fresh reading. Also used when a proposal is renewed: then no model takes part. */
export function createQuoteOrder({ commerceFor, terms, knowledge }: Deps): QuoteOrder {
  return async ({ orderId, applicant, language }, options) => {
    const reading = await commerceFor(applicant).call("get_order", { order_id: orderId }, options);
    if (reading.kind !== "ok") return reading;
    const order = OrderWire.parse(reading.data);
    try {
      const basis = terms.basisFor(applicant.tenant);
      const scope = { tenant: applicant.tenant, language };
      const pages = await Promise.all(basis.policyPages.map(({ page }) => knowledge.page(scope, page)));
      if (pages.some(({ passages }) => passages.length === 0)) throw new AftersalesError("policy_page_not_accessible");
      const quote = quoteRefund(orderFromWire(order, applicant), terms.rules, basis, terms.businessDate);
      return { kind: "ok", quote, order, passages: pages.flatMap(({ passages }) => passages) };
    } catch (error) {
      if (error instanceof AftersalesError) return { kind: "error", error: toolError(error.code) };
      throw error;
    }
  };
}

export function createCalculateRefund(deps: { quoteOrder: QuoteOrder }): Tool {
  return defineTool({
    name: "calculate_refund",
    description:
      "Calculates whether one order can be refunded automatically and how much money can be paid back: the only source of eligibility and refundable amount. " +
      "WHEN TO USE: the customer wants a refund, wants to return an order for their money back, asks whether an order is eligible for a refund, or how much money they can get back; the order is named by its number, such as QH-1001. " +
      "WHEN NOT TO USE: to read what was bought, delivered or already refunded (get_order), or an invoice total, which is not the refundable amount (get_invoice). For the rules of returns in general, without an order, search_knowledge is the one. It never pays. " +
      "RETURNS: eligible, reason, amount_cents, days since delivery, rule version, and the policy passages it rests on; an order this customer has no access to is refused.",
    schema: z.strictObject(COMMERCE_ARGUMENTS.get_order.shape),
    isRead: true,
    async run({ order_id }, { applicant, language }, options) {
      const outcome = await deps.quoteOrder({ orderId: order_id, applicant, language }, options);
      if (outcome.kind !== "ok") return outcome;
      const data = quoteToWire(outcome.quote);
      const sourceId = `calculate_refund:${order_id}`;
      return {
        kind: "ok",
        result: { source_id: sourceId, data },
        gains: {
          facts: [
            { sourceId: `get_order:${order_id}`, data: outcome.order },
            { sourceId, data },
          ],
          passages: { list: outcome.passages, mandatory: true },
          quote: outcome.quote,
        },
      };
    },
  });
}
