/** Owns the order as the host and the refund policy see it. */
import { z } from "zod";
import type { OrderWire } from "./commerce-wire.js";
import { CalendarDate, OrderId, Sku, TenantId, UserId } from "./ids.js";
import { Cents } from "./money.js";

export const Order = z.strictObject({
  orderId: OrderId,
  tenant: TenantId,
  user: UserId,
  sku: Sku,
  category: z.enum(["standard", "custom", "digital"]),
  status: z.enum(["processing", "shipped", "delivered", "cancelled"]),
  quantity: z.int().min(1),
  listPriceCents: Cents,
  discountCents: Cents,
  paidItemsCents: Cents,
  shippingCents: Cents,
  refundedCents: Cents,
  deliveredOn: CalendarDate.nullable(),
  returnReceived: z.boolean(),
  version: z.int().min(1),
  invoiceId: z.string().nullable(),
});
export type Order = z.infer<typeof Order>;

/** The wire leaves out whose order it is: it always belongs to the identity the reading process was started with. */
export function orderFromWire(wire: OrderWire, owner: { tenant: TenantId; user: UserId }): Order {
  return Order.parse({
    orderId: wire.order_id,
    tenant: owner.tenant,
    user: owner.user,
    sku: wire.sku,
    category: wire.category,
    status: wire.status,
    quantity: wire.quantity,
    listPriceCents: wire.list_price_cents,
    discountCents: wire.discount_cents,
    paidItemsCents: wire.paid_items_cents,
    shippingCents: wire.shipping_cents,
    refundedCents: wire.refunded_cents,
    deliveredOn: wire.delivered_on,
    returnReceived: wire.return_received,
    version: wire.version,
    invoiceId: wire.invoice_id,
  });
}

export function orderToWire(order: Order): OrderWire {
  return {
    order_id: order.orderId,
    sku: order.sku,
    category: order.category,
    status: order.status,
    quantity: order.quantity,
    list_price_cents: order.listPriceCents,
    discount_cents: order.discountCents,
    paid_items_cents: order.paidItemsCents,
    shipping_cents: order.shippingCents,
    refunded_cents: order.refundedCents,
    delivered_on: order.deliveredOn,
    return_received: order.returnReceived,
    version: order.version,
    invoice_id: order.invoiceId,
  };
}
