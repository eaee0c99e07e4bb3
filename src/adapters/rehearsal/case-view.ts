/** Owns the typed view of a step's data: the plan, the records, the quote and the passages it was shown. What has the wrong shape is left out. */
import type { Exchange } from "./read-messages.js";
import { centsOf, dayOf, type Fields, fieldsOf, integerOf, listOf, textOf, textOrNull, textsOf } from "./untyped.js";

export type Language = "zh" | "en";
export const INTENTS = ["refund", "delivery", "invoice", "warranty", "policy", "greeting"] as const;
export type Intent = (typeof INTENTS)[number];

export type PlanView = { intent: Intent; orderId: string | null; actionRequested: boolean; queries: string[] };
export type PassageView = { id: string; page: string; heading: string; body: string };
export type OpenPointView = { source: string; category: string; code: string };

export type CaseView = {
  question: string;
  language: Language;
  plan: PlanView;
  facts: ReadonlyMap<string, Fields>;
  quote: Fields;
  evidence: PassageView[];
  openPoints: OpenPointView[];
};

export type OrderFact = {
  orderId: string;
  sku: string;
  category: string;
  status: string;
  quantity: number;
  paidItemsCents: number;
  shippingCents: number;
  refundedCents: number;
  deliveredOn: string | null;
  returnReceived: boolean;
};

export type QuoteFact = {
  orderId: string;
  amountCents: number;
  eligible: boolean;
  reason: string;
  daysSinceDelivery: number | null;
  businessDate: string | null;
  policyPages: string[];
};

/** Joins what the data object shows with what the transcript has brought since. */
export function readCase(data: Fields, exchanges: readonly Exchange[] = []): CaseView {
  const results = exchanges.map(({ result }) => fieldsOf(result));
  return {
    question: textOf(data.question),
    language: data.language === "zh" ? "zh" : "en",
    plan: readPlan(fieldsOf(data.plan)),
    facts: readFacts([...listOf(data.facts), ...results]),
    quote: fieldsOf(data.quote),
    evidence: readPassages([...listOf(data.evidence), ...results.flatMap((result) => listOf(result.passages))]),
    openPoints: [
      ...listOf(data.open_points).map((point) => {
        const { source, category, code } = fieldsOf(point);
        return { source: textOf(source), category: textOf(category), code: textOf(code) };
      }),
      ...exchanges.flatMap(({ name, error }) => (error === null ? [] : [{ source: name, ...error }])),
    ],
  };
}

function readPlan(plan: Fields): PlanView {
  return {
    intent: INTENTS.find((intent) => intent === plan.intent) ?? "policy",
    orderId: orderIdOf(plan.order_id),
    actionRequested: plan.action_requested === true,
    queries: textsOf(plan.queries).filter((query) => query.trim() !== ""),
  };
}

function readFacts(items: readonly unknown[]): Map<string, Fields> {
  const facts = new Map<string, Fields>();
  for (const item of items) {
    const { source_id, data } = fieldsOf(item);
    const id = textOf(source_id);
    if (id !== "" && id.length <= 120) facts.set(id, fieldsOf(data));
  }
  return facts;
}

function readPassages(items: readonly unknown[]): PassageView[] {
  const passages = new Map<string, PassageView>();
  for (const item of items) {
    const { id, page, heading, body } = fieldsOf(item);
    const key = textOf(id);
    if (key === "" || key.length > 120) continue;
    const pageOfId = key.split(":").slice(0, 2).join(":");
    passages.set(key, { id: key, page: textOf(page) || pageOfId, heading: textOf(heading), body: textOf(body) });
  }
  return [...passages.values()];
}

/** A search that came back without covering the question is an open point of the case. */
export function isNotCovered(view: CaseView): boolean {
  return view.openPoints.some(({ code }) => code === "not_covered");
}

export function orderIdOf(value: unknown): string | null {
  const text = textOf(value);
  return /^QH-\d{4}$/.test(text) ? text : null;
}

export function readOrder(view: CaseView, orderId: string | null): OrderFact | null {
  const data = view.facts.get(`get_order:${orderId}`);
  if (data === undefined || orderId === null || data.order_id !== orderId) return null;
  const paidItemsCents = centsOf(data.paid_items_cents);
  const shippingCents = centsOf(data.shipping_cents);
  const refundedCents = centsOf(data.refunded_cents);
  const quantity = integerOf(data.quantity);
  if (paidItemsCents === null || shippingCents === null || refundedCents === null || quantity === null) return null;
  return {
    orderId,
    sku: textOf(data.sku),
    category: textOf(data.category),
    status: textOf(data.status),
    quantity,
    paidItemsCents,
    shippingCents,
    refundedCents,
    deliveredOn: dayOf(data.delivered_on),
    returnReceived: data.return_received === true,
  };
}

/** The quote of an order, from the facts or from the data object's own quote. */
export function readQuote(view: CaseView, orderId: string | null): QuoteFact | null {
  const data = [view.facts.get(`calculate_refund:${orderId}`), view.quote].find((item) => item?.order_id === orderId);
  const amountCents = centsOf(data?.amount_cents);
  if (data === undefined || orderId === null || amountCents === null) return null;
  return {
    orderId,
    amountCents,
    eligible: data.eligible === true,
    reason: textOf(data.reason),
    daysSinceDelivery: integerOf(data.days_since_delivery),
    businessDate: dayOf(data.business_date),
    policyPages: textsOf(data.policy_pages),
  };
}

export type InvoiceFact = { invoiceId: string; totalCents: number; state: string };

/** `read` tells a record without an invoice ("none issued") from a record that was not read. */
export function readInvoice(view: CaseView, orderId: string | null): { read: boolean; invoice: InvoiceFact | null } {
  const data = view.facts.get(`get_invoice:${orderId}`);
  const { invoice_id, total_cents, state } = fieldsOf(data?.invoice);
  const totalCents = centsOf(total_cents);
  const invoiceId = textOrNull(invoice_id);
  const complete = totalCents !== null && invoiceId !== null;
  return { read: data !== undefined, invoice: complete ? { invoiceId, totalCents, state: textOf(state) } : null };
}
