/** Owns the mapping between a row of `orders` and the order the refund policy sees. A row that does not parse is a failure, never a guess. */
import type { OrderRecord } from "../domain/business-data.js";
import { Order } from "../domain/order.js";
import type { OrderRow } from "./commerce-tables.js";

/** A record of business.json as it is seeded. */
export function toOrderRow(record: OrderRecord): OrderRow {
  const { user, return_received, shipment, invoice, ...same } = record;
  return {
    ...same,
    user_id: user,
    return_received: return_received ? 1 : 0,
    shipment: shipment === null ? null : JSON.stringify(shipment),
    invoice: invoice === null ? null : JSON.stringify(invoice),
  };
}

/** Throws `ZodError` when the row was damaged. */
export function fromOrderRow(row: OrderRow): Order {
  return Order.parse({
    orderId: row.order_id,
    tenant: row.tenant,
    user: row.user_id,
    sku: row.sku,
    category: row.category,
    status: row.status,
    quantity: row.quantity,
    listPriceCents: row.list_price_cents,
    discountCents: row.discount_cents,
    paidItemsCents: row.paid_items_cents,
    shippingCents: row.shipping_cents,
    refundedCents: row.refunded_cents,
    deliveredOn: row.delivered_on,
    returnReceived: row.return_received === 1,
    version: row.version,
    invoiceId: row.invoice_id,
  });
}
