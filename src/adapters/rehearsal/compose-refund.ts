/** Owns the answer to a refund question or request: what the quote says, why, and what happens next. */
import { formatCny } from "../../domain/money.js";
import {
  type CaseView,
  type InvoiceFact,
  type OrderFact,
  type QuoteFact,
  readInvoice,
  readOrder,
  readQuote,
} from "./case-view.js";
import { type Draft, needsInput } from "./draft.js";
import type { Phrases } from "./phrase-book.js";
import { sayFor } from "./phrases.js";
import { amountsNamed, leavesOrderOut, namesOtherWish } from "./read-question.js";
import { bestPassage, citePages, type Ground, windowDays } from "./terms.js";

type Material = {
  view: CaseView;
  say: Phrases;
  order: OrderFact;
  quote: QuoteFact;
  invoice: InvoiceFact | null;
  window: number | null;
};

export function composeRefund(view: CaseView): Draft {
  const say = sayFor(view.language);
  const { orderId, actionRequested } = view.plan;
  if (orderId === null || leavesOrderOut(view.question)) return needsInput(say.sendOneOrder);
  const material = gather(view);
  if (material === null) return needsInput(say.unreadable);
  const { quote } = material;
  if (!quote.eligible) {
    return {
      sentences: [...ineligibleSentences(material), say.noRefundStarted, say.humanChannel],
      citations: ineligibleCitations(material),
      nextAction: "answer",
    };
  }
  const pages = citePages(view.evidence, quote.policyPages, ["window", "receipt", "amount"]);
  if (pages.length === 0) return needsInput(say.unreadable);
  return {
    sentences: [
      ...eligibleSentences(material),
      ...(amountsNamed(view.question).some((amount) => amount !== quote.amountCents) ? [say.amountFromRecord] : []),
      ...(namesOtherWish(view.question) ? [say.onlyWholeAmount] : []),
      actionRequested ? say.waitsForReviewer : say.nothingStarted({ order: orderId }),
    ],
    citations: [...recordCitations(material), ...pages],
    nextAction: actionRequested ? "request_refund" : "answer",
  };
}

/** What another topic adds when a quote was made: the balance and its conditions, or why there is none. */
export function refundAside(view: CaseView): { sentences: string[]; citations: string[] } {
  const material = gather(view);
  if (material === null) return { sentences: [], citations: [] };
  if (!material.quote.eligible) {
    return { sentences: ineligibleSentences(material), citations: ineligibleCitations(material) };
  }
  const pages = citePages(view.evidence, material.quote.policyPages, ["window", "receipt", "amount"]);
  return { sentences: eligibleSentences(material), citations: [...recordCitations(material), ...pages] };
}

function gather(view: CaseView): Material | null {
  const { orderId } = view.plan;
  const order = readOrder(view, orderId);
  const quote = readQuote(view, orderId);
  if (order === null || quote === null) return null;
  const window = windowDays(view.evidence, quote.policyPages);
  return { view, say: sayFor(view.language), order, quote, invoice: readInvoice(view, orderId).invoice, window };
}

function eligibleSentences({ say, order, quote, invoice, window }: Material): string[] {
  return [
    ...deliveredSentence(say, order, quote),
    say.insideWindow(window),
    say.receiptRegistered,
    say.amount({
      amount: formatCny(quote.amountCents),
      paid: formatCny(order.paidItemsCents),
      earlier: order.refundedCents > 0 ? formatCny(order.refundedCents) : null,
    }),
    ...invoiceSentence(say, order, quote, invoice),
  ];
}

function deliveredSentence(say: Phrases, { orderId, deliveredOn }: OrderFact, quote: QuoteFact): string[] {
  const { daysSinceDelivery: days, businessDate } = quote;
  return deliveredOn === null || days === null
    ? []
    : [say.delivered({ order: orderId, deliveredOn, days, businessDate })];
}

/** Freight, and why the total on the invoice is another number. */
function invoiceSentence(say: Phrases, order: OrderFact, quote: QuoteFact, invoice: InvoiceFact | null): string[] {
  const invoiceTotal = invoice === null ? null : formatCny(invoice.totalCents);
  if (order.shippingCents > 0) return [say.freightStays({ freight: formatCny(order.shippingCents), invoiceTotal })];
  return invoice !== null && invoice.totalCents !== quote.amountCents
    ? [say.invoiceIsNotRefund(formatCny(invoice.totalCents))]
    : [];
}

type Reason = { grounds: readonly Ground[]; sentences: (material: Material) => string[] };

const REASONS: Readonly<Record<string, Reason>> = {
  outside_window: {
    grounds: ["window"],
    sentences: ({ say, order, quote, window }) => [...deliveredSentence(say, order, quote), say.outsideWindow(window)],
  },
  return_not_received: {
    grounds: ["receipt"],
    sentences: ({ say, order, quote }) => [...deliveredSentence(say, order, quote), say.notReceived],
  },
  not_delivered: {
    grounds: ["receipt"],
    sentences: ({ say, order }) => [pick(say.notDelivered, order.status)({ order: order.orderId })],
  },
  excluded_category: {
    grounds: ["exclusion"],
    sentences: ({ say, order }) => [pick(say.excluded, order.category)({ order: order.orderId })],
  },
  quantity_needs_human: {
    grounds: ["amount"],
    sentences: ({ say, order }) => [say.quantity({ order: order.orderId, quantity: order.quantity })],
  },
  already_refunded: {
    grounds: ["amount"],
    sentences: ({ say, order }) => [
      say.alreadyRefunded({
        order: order.orderId,
        paid: formatCny(order.paidItemsCents),
        earlier: formatCny(order.refundedCents),
      }),
    ],
  },
  merchant_requires_manual_review: {
    grounds: [],
    sentences: ({ say, order }) => [say.manualReview({ order: order.orderId })],
  },
};
const OTHER_REASON: Reason = {
  grounds: [],
  sentences: ({ say, order }) => [say.otherReason({ order: order.orderId })],
};

function reasonOf(quote: QuoteFact): Reason {
  return Object.entries(REASONS).find(([reason]) => reason === quote.reason)?.[1] ?? OTHER_REASON;
}

/** The sentence for a value of a record, or the general one for a value this table does not know. */
export function pick<T>(table: Readonly<Record<string, T>> & { other: T }, value: string): T {
  return Object.entries(table).find(([key]) => key === value)?.[1] ?? table.other;
}

function ineligibleSentences(material: Material): string[] {
  return reasonOf(material.quote).sentences(material);
}

function ineligibleCitations(material: Material): string[] {
  const { view, quote } = material;
  const pages = citePages(view.evidence, quote.policyPages, reasonOf(quote).grounds);
  const manual =
    quote.policyPages.length === 0
      ? bestPassage(view.evidence, ineligibleSentences(material).join(" "), view.language)
      : null;
  return [...recordCitations(material), ...pages, ...(manual === null ? [] : [manual.id])];
}

function recordCitations({ order, quote, invoice }: Material): string[] {
  const { orderId } = order;
  const sources = [`get_order:${orderId}`, `calculate_refund:${orderId}`];
  return quote.eligible && invoice !== null ? [...sources, `get_invoice:${orderId}`] : sources;
}
