/** Owns the answers to every topic but refunds. Plain rules: state what the records and the terms say, and name the human channel. */
import { formatCny } from "../../domain/money.js";
import { type CaseView, isNotCovered, orderIdOf, readInvoice, readOrder } from "./case-view.js";
import { pick, refundAside } from "./compose-refund.js";
import { brief, type Draft, needsInput } from "./draft.js";
import { sayFor } from "./phrases.js";
import { bestPassage, firstSentences } from "./terms.js";
import { mentionsDanger } from "./topics.js";
import { dayOf, fieldsOf, integerOf, listOf, textOf } from "./untyped.js";

export function composeGreeting(view: CaseView): Draft {
  return { sentences: [sayFor(view.language).greeting], citations: [], nextAction: "answer" };
}

export function composePolicy(view: CaseView): Draft {
  const say = sayFor(view.language);
  if (view.plan.queries.length === 0) return needsInput(say.askWhat);
  const passage = isNotCovered(view) ? null : bestPassage(view.evidence, view.question, view.language);
  if (passage === null) return needsInput(say.notCovered);
  return {
    sentences: [say.terms(brief(passage.heading), firstSentences(passage.body, 2)), say.forAnOrder],
    citations: [passage.id],
    nextAction: "answer",
  };
}

export function composeDelivery(view: CaseView): Draft {
  const say = sayFor(view.language);
  const { orderId } = view.plan;
  if (orderId === null) return composeOrderList(view);
  const order = readOrder(view, orderId);
  const shipment = view.facts.get(`get_shipment:${orderId}`);
  if (order === null || shipment === undefined) return needsInput(say.unreadable);
  const event = fieldsOf(listOf(shipment.events).at(-1));
  const date = dayOf(event.date);
  const onTheWay = order.status === "processing" || order.status === "shipped";
  const range = onTheWay ? view.evidence.find(({ body }) => /working days|工作日/u.test(body)) : undefined;
  return {
    sentences: [
      pick(say.status, order.status)({ order: orderId }),
      date === null
        ? say.noEvents
        : say.lastEvent({
            status: pick(say.statusWord, textOf(event.status)),
            date,
            carrier: brief(textOf(fieldsOf(shipment.carrier)[view.language])),
            tracking: brief(textOf(shipment.tracking_id)),
          }),
      ...(range === undefined ? [] : [say.terms(brief(range.heading), firstSentences(range.body, 2))]),
      ...(onTheWay ? [say.noArrivalPromise] : []),
      say.noChangesHere,
    ],
    citations: [`get_order:${orderId}`, `get_shipment:${orderId}`, ...(range === undefined ? [] : [range.id])],
    nextAction: "answer",
  };
}

function composeOrderList(view: CaseView): Draft {
  const say = sayFor(view.language);
  const source = "list_orders:current";
  const list = view.facts.get(source);
  if (list === undefined) return needsInput(say.sendOneOrder);
  const lines = listOf(list.orders).flatMap((item) => {
    const { order_id, status } = fieldsOf(item);
    const order = orderIdOf(order_id);
    return order === null ? [] : [say.orderLine({ order, status: pick(say.statusWord, textOf(status)) })];
  });
  return { sentences: [say.orderCount(lines.length), ...lines], citations: [source], nextAction: "answer" };
}

export function composeInvoice(view: CaseView): Draft {
  const say = sayFor(view.language);
  const { orderId } = view.plan;
  if (orderId === null) return needsInput(say.sendOneOrder);
  const order = readOrder(view, orderId);
  const { read, invoice } = readInvoice(view, orderId);
  if (order === null || !read) return needsInput(say.unreadable);
  const aside = refundAside(view);
  const invoiceSentences =
    invoice === null
      ? [say.noInvoice({ order: orderId })]
      : [
          say.invoice({
            order: orderId,
            id: brief(invoice.invoiceId),
            state: invoice.state === "void" || invoice.state === "issued" ? invoice.state : "other",
            total: formatCny(invoice.totalCents),
            paid: formatCny(order.paidItemsCents),
            freight: formatCny(order.shippingCents),
          }),
          ...(order.refundedCents > 0 ? [say.invoiceKeepsTotal(formatCny(order.refundedCents))] : []),
        ];
  return {
    sentences: [...invoiceSentences, ...aside.sentences, say.noInvoiceChanges],
    citations: [`get_order:${orderId}`, `get_invoice:${orderId}`, ...aside.citations],
    nextAction: "answer",
  };
}

export function composeWarranty(view: CaseView): Draft {
  const say = sayFor(view.language);
  const { orderId } = view.plan;
  if (orderId === null) return needsInput(say.sendOneOrder);
  if (isNotCovered(view)) return needsInput(say.notCovered);
  const order = readOrder(view, orderId);
  const product = fieldsOf(view.facts.get(`get_product:${order?.sku}`));
  const months = integerOf(product.warranty_months);
  if (order === null || months === null) return needsInput(say.unreadable);
  const item = {
    order: orderId,
    name: brief(textOf(fieldsOf(product.name)[view.language])),
    sku: brief(order.sku),
    deliveredOn: order.deliveredOn,
  };
  const passage = bestPassage(view.evidence, view.question, view.language);
  return {
    sentences: [
      months === 0 ? say.noRepairFlow(item) : say.warranty({ ...item, months }),
      ...(mentionsDanger(view.question) ? [say.safety] : []),
      say.humanDecidesRepair,
      say.humanChannel,
    ],
    citations: [`get_order:${orderId}`, `get_product:${order.sku}`, ...(passage === null ? [] : [passage.id])],
    nextAction: "answer",
  };
}
