/** Owns the six reads as a client sees them. A model that reads nothing but these descriptions has to choose right between the siblings. */
import { COMMERCE_ARGUMENTS, COMMERCE_RESULTS } from "../domain/commerce-wire.js";
import { type CommerceTool, commerceTool } from "./commerce-tool.js";
import type { OwnedRecords } from "./owned-records.js";

const READS = { readOnlyHint: true, openWorldHint: false } as const;

const NOT_ACCESSIBLE =
  "order_not_accessible means that this customer has no access under that number; it does not say whether such an order exists. store_unreadable means that the record is unknown right now, never that there is none.";

const LIST_ORDERS = `Lists all orders of the current customer, each with its number, article and status.
WHEN TO USE: the customer asks which orders or purchases they have, how many orders, or what they have bought so far; or forgot or lost the order number, means one without giving its number, and has to choose one.
WHEN NOT TO USE: for the status of one order named by its number, such as QH-1001, use get_order. For what was paid or refunded on one order, use get_order. For its parcel, use get_shipment. For its bill, use get_invoice. For what a product is, use get_product.
RETURNS: {orders: [{order_id, sku, status}]}, at most 30, sorted by number. An empty list is a valid answer: the customer has no orders.`;

const GET_ORDER = `Reads one order of the current customer by its number, such as QH-1001: status, what was bought, quantity, what was actually paid, discount, freight, what was refunded already, delivery date, and whether returned goods are back in the warehouse.
WHEN TO USE: the customer asks for the status of the order, what they paid, a coupon or discount, freight (postage), an earlier refund (whether part of the money was given back already), the day it was delivered or signed for, or whether the warehouse has received a return. The delivery date that counts for returns is here (delivered_on).
WHEN NOT TO USE: for tracking and where the parcel is, use get_shipment. For the invoice, bill or receipt document, use get_invoice. For warranty months or the product's name, use get_product. When the customer cannot say which order they mean, use list_orders. It decides nothing about a new refund and names no amount that can be paid back.
RETURNS: {order_id, sku, category, status, quantity, list_price_cents, discount_cents, paid_items_cents, shipping_cents, refunded_cents, delivered_on, return_received, version, invoice_id}. Amounts are whole cents of CNY; shipping_cents is freight. ${NOT_ACCESSIBLE}`;

const GET_SHIPMENT = `Reads the shipment of one order of the current customer by the order's number, such as QH-1001: carrier (courier), tracking number and the parcel's past events.
WHEN TO USE: the customer asks where the parcel or package is, for the tracking number, for the carrier, whether it was shipped or is on its way, or why it has not arrived.
WHEN NOT TO USE: for what was paid, refunded or returned and for the delivery date that counts for returns, use get_order. For the bill, use get_invoice. It knows no future: it gives no expected arrival time.
RETURNS: {order_id, carrier: {zh, en}, tracking_id, events: [{status, date}]}. carrier null, tracking_id null and no events is a valid answer: nothing was handed to a carrier yet. ${NOT_ACCESSIBLE}`;

const GET_INVOICE = `Reads the invoice of one order of the current customer by the order's number, such as QH-1001: invoice number, invoice total, state and the name on it.
WHEN TO USE: the customer asks for the invoice, bill or receipt document, its number, its total, its title or company name, or whether it is issued or void.
WHEN NOT TO USE: for how much was paid or was refunded, use get_order: the total here includes freight and never shrinks after a refund. For tracking, use get_shipment. It takes the order's number; when only the bill's own number is known, use list_orders and get_order.
RETURNS: {order_id, invoice: {invoice_id, currency, total_cents, state: issued|void, customer_label}}. invoice null is a valid answer: none was issued yet. Amounts are whole cents. ${NOT_ACCESSIBLE}`;

const GET_PRODUCT = `Reads one product of the public catalogue by its product code (SKU): name, category and months of warranty.
WHEN TO USE: a product code such as LAMP-02 is named and the customer asks how many months its warranty (guarantee) lasts, what the product code (SKU) stands for, or whether it is a standard, custom-made or digital product.
WHEN NOT TO USE: for what this customer bought or paid, use get_order, which also gives the SKU of an order; to find out which orders there are, use list_orders. It needs a SKU, not an order's number such as QH-1001. It holds no rules: neither policy, terms and exceptions, nor days for a return.
RETURNS: {sku, name: {zh, en}, category: standard|custom|digital, warranty_months}. warranty_months 0 means that the article is outside the repair flow for goods. product_not_found means that the catalogue has no such SKU.`;

const GET_TICKET = `Reads one ticket (a request that a human colleague works on) which the current customer opened earlier.
WHEN TO USE: the customer gives a ticket number, such as T-0123456789abcdef, and asks for the content, progress or status of that ticket.
WHEN NOT TO USE: to open a new request; that is create_ticket, where it is offered. For the order behind a ticket, use get_order; for the parcel, use get_shipment. An order's number, such as QH-1001, is not a ticket number.
RETURNS: {ticket_id, order_id, summary, status, simulated}. ticket_not_accessible means that this customer has no access under that number; it does not say whether such a ticket exists.`;

/** The six reads, in the order they are listed. */
export function createReadTools(records: OwnedRecords): CommerceTool[] {
  return [
    commerceTool({
      name: "list_orders",
      description: LIST_ORDERS,
      annotations: READS,
      input: COMMERCE_ARGUMENTS.list_orders,
      output: COMMERCE_RESULTS.list_orders,
      run: () => records.listOrders(),
    }),
    commerceTool({
      name: "get_order",
      description: GET_ORDER,
      annotations: READS,
      input: COMMERCE_ARGUMENTS.get_order,
      output: COMMERCE_RESULTS.get_order,
      run: ({ order_id }) => records.getOrder(order_id),
    }),
    commerceTool({
      name: "get_shipment",
      description: GET_SHIPMENT,
      annotations: READS,
      input: COMMERCE_ARGUMENTS.get_shipment,
      output: COMMERCE_RESULTS.get_shipment,
      run: ({ order_id }) => records.getShipment(order_id),
    }),
    commerceTool({
      name: "get_invoice",
      description: GET_INVOICE,
      annotations: READS,
      input: COMMERCE_ARGUMENTS.get_invoice,
      output: COMMERCE_RESULTS.get_invoice,
      run: ({ order_id }) => records.getInvoice(order_id),
    }),
    commerceTool({
      name: "get_product",
      description: GET_PRODUCT,
      annotations: READS,
      input: COMMERCE_ARGUMENTS.get_product,
      output: COMMERCE_RESULTS.get_product,
      run: ({ sku }) => records.getProduct(sku),
    }),
    commerceTool({
      name: "get_ticket",
      description: GET_TICKET,
      annotations: READS,
      input: COMMERCE_ARGUMENTS.get_ticket,
      output: COMMERCE_RESULTS.get_ticket,
      run: ({ ticket_id }) => records.getTicket(ticket_id),
    }),
  ];
}
