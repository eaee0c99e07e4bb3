/** Owns what the rehearsal model says in English. */
import { FEEDBACK_EN } from "./feedback-en.js";
import type { Phrases } from "./phrase-book.js";

const NO_AUTOMATIC_REFUND = "so there is no automatic refund";

export const ENGLISH_PHRASES: Phrases = {
  gap: " ",
  delivered: ({ order, deliveredOn, days, businessDate }) =>
    `Order ${order} was delivered on ${deliveredOn}, ${days} ${days === 1 ? "day" : "days"} before ${
      businessDate === null ? "the business date" : `the business date ${businessDate}`
    }.`,
  insideWindow: (days) =>
    days === null
      ? "That is inside the return window."
      : `That is inside the return window of ${days} days after delivery, day ${days} included.`,
  receiptRegistered: "The warehouse has registered the returned goods.",
  amount: ({ amount, paid, earlier }) =>
    `The refundable amount is ${amount}: the order record shows ${paid} paid for the items${
      earlier === null ? "" : `, minus ${earlier} that was refunded earlier`
    }.`,
  freightStays: ({ freight, invoiceTotal }) =>
    `Freight${freight === null ? "" : ` of ${freight}`} is not part of the refund, so the invoice total${
      invoiceTotal === null ? "" : ` of ${invoiceTotal}`
    } is not the refund amount.`,
  invoiceIsNotRefund: (total) => `The invoice total of ${total} is not the refund amount.`,
  amountFromRecord: "The amount comes from the order record, not from the message.",
  onlyWholeAmount:
    "Only the whole amount to the original payer can be proposed here; an exchange, a repair, a part of the amount, store credit or another payee is a matter for human service.",
  waitsForReviewer: "The proposal waits for a human reviewer to approve it; nothing has been paid.",
  nothingStarted: ({ order }) =>
    `Nothing has been started and nothing has been paid. To ask for this refund, write in a new case: please refund ${order}.`,
  noRefundStarted: "No refund has been started.",
  humanChannel: "Human service can look at the case; you can reach it with a ticket.",
  outsideWindow: (days) =>
    days === null
      ? `The return window has ended, ${NO_AUTOMATIC_REFUND}.`
      : `The return window of ${days} days after delivery ended with day ${days}, ${NO_AUTOMATIC_REFUND}.`,
  notReceived:
    "The warehouse has not registered the returned goods yet, and without that receipt there is no automatic refund.",
  notDelivered: {
    processing: ({ order }) =>
      `Order ${order} is still being prepared by the merchant (status processing) and not delivered, ${NO_AUTOMATIC_REFUND}.`,
    shipped: ({ order }) =>
      `Order ${order} is with the carrier (status shipped) and not delivered yet, ${NO_AUTOMATIC_REFUND}.`,
    cancelled: ({ order }) => `Order ${order} was cancelled and never delivered, ${NO_AUTOMATIC_REFUND}.`,
    other: ({ order }) => `Order ${order} is not delivered according to its record, ${NO_AUTOMATIC_REFUND}.`,
  },
  excluded: {
    custom: ({ order }) =>
      `The item of order ${order} was made to order (category custom), which is excluded from the automatic refund.`,
    digital: ({ order }) =>
      `The item of order ${order} is digital content (category digital), which is excluded from the automatic refund.`,
    other: ({ order }) => `The category of the item of order ${order} is excluded from the automatic refund.`,
  },
  quantity: ({ order, quantity }) =>
    `Order ${order} has a quantity of ${quantity}; the automatic refund covers single items only, so a human has to decide.`,
  alreadyRefunded: ({ order, paid, earlier }) =>
    `For order ${order} the record shows ${paid} paid for the items and ${earlier} that was refunded earlier, so nothing is left to refund.`,
  manualReview: ({ order }) =>
    `Refunds of this merchant are decided by manual review, so no automatic amount can be given for order ${order}.`,
  otherReason: ({ order }) => `There is no automatic refund for order ${order}; a human has to decide.`,
  notAccessible:
    "No order with this number is accessible to you here. Please check the number on your own order list, or turn to human service.",
  unreadable:
    "The records could not be read just now, so their state is unknown. Please try again later, or turn to human service.",
  sendOneOrder:
    "Please send exactly one order number in a new case (QH- and four digits), with what you would like for that order.",
  notCovered:
    "The documents do not cover this question. Please name a product or an order of yours, or turn to human service.",
  askWhat: "What would you like to know? Please write one question, with the order number if it is about an order.",
  greeting:
    "Hello! This is an automated assistant (a rule-based rehearsal model, not a person). It can help with questions about refunds, deliveries, invoices and product support.",
  terms: (heading, text) => `The terms in force say under "${heading}": ${text}`,
  forAnOrder: "For an answer about an order, please send its number.",
  status: {
    processing: ({ order }) => `Order ${order} is still with the merchant (status processing) and not delivered.`,
    shipped: ({ order }) => `Order ${order} is with the carrier (status shipped) and not delivered yet.`,
    delivered: ({ order }) => `Order ${order} has the status delivered.`,
    cancelled: ({ order }) => `Order ${order} was cancelled and never delivered.`,
    other: ({ order }) => `The status of order ${order} is not known here.`,
  },
  statusWord: {
    processing: "processing",
    shipped: "shipped",
    delivered: "delivered",
    cancelled: "cancelled",
    other: "unknown",
  },
  lastEvent: ({ status, date, carrier, tracking }) =>
    `The last recorded event is ${status} on ${date}${carrier === "" ? "" : `, carrier ${carrier}`}${
      tracking === "" ? "" : `, tracking id ${tracking} (fictional)`
    }.`,
  noEvents: "No shipment event is recorded yet.",
  noArrivalPromise: "An arrival date cannot be promised.",
  noChangesHere: "The assistant changes and cancels nothing; that is a matter for human service.",
  orderLine: ({ order, status }) => `${order}: ${status}.`,
  orderCount: (count) => `Your list shows ${count} ${count === 1 ? "order" : "orders"}.`,
  invoice: ({ order, id, state, total, paid, freight }) =>
    `Invoice ${id} of order ${order} ${
      state === "void" ? "is void" : state === "issued" ? "is a simulated record with the state issued" : "is recorded"
    }; its total of ${total} is made up of items ${paid} and freight ${freight}.`,
  noInvoice: ({ order }) => `No invoice is recorded for order ${order} yet.`,
  invoiceKeepsTotal: (earlier) => `The earlier refund of ${earlier} does not change the invoice total.`,
  noInvoiceChanges: "The assistant cannot issue, change or send invoices; that is a matter for human service.",
  warranty: ({ order, name, sku, months, deliveredOn }) =>
    `Order ${order} holds ${name} (${sku}), which has a warranty of ${months} months${
      deliveredOn === null ? "" : `; it was delivered on ${deliveredOn}`
    }.`,
  noRepairFlow: ({ order, name, sku }) =>
    `Order ${order} holds ${name} (${sku}), which is not part of the repair of physical products; human service can still help.`,
  safety: "For safety: stop using the product and do not open it.",
  humanDecidesRepair: "Repair or replacement is decided by a human; no claim has been filed.",
  summary: (facts, passages, open) =>
    `Read: ${facts.join(", ") || "no records"}. Passages at hand: ${passages}.${open.length === 0 ? "" : ` Could not be read: ${open.join(", ")}.`}`,
  feedback: FEEDBACK_EN,
};
