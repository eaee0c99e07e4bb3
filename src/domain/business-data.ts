/** Owns the shape of business.json and the arithmetic every record in it must satisfy. */
import { z } from "zod";
import { CalendarDate, OrderId, Sku, TenantId, UserId } from "./ids.js";
import { Cents } from "./money.js";

const status = z.enum(["processing", "shipped", "delivered", "cancelled"]);
const category = z.enum(["standard", "custom", "digital"]);
const name = z.strictObject({ zh: z.string().min(1), en: z.string().min(1) });

export const ProductRecord = z.strictObject({ sku: Sku, name, category, warranty_months: z.int().min(0).max(120) });
export type ProductRecord = z.infer<typeof ProductRecord>;

export const OrderRecord = z.strictObject({
  order_id: OrderId,
  tenant: TenantId,
  user: UserId,
  sku: Sku,
  category,
  status,
  quantity: z.int().min(1),
  list_price_cents: Cents,
  discount_cents: Cents,
  paid_items_cents: Cents,
  shipping_cents: Cents,
  refunded_cents: Cents,
  delivered_on: CalendarDate.nullable(),
  return_received: z.boolean(),
  version: z.int().min(1),
  shipment: z
    .strictObject({
      carrier: name,
      tracking_id: z.string().min(1),
      events: z.array(z.strictObject({ status, date: CalendarDate })),
    })
    .nullable(),
  invoice_id: z.string().min(1).nullable(),
  invoice: z
    .strictObject({
      invoice_id: z.string().min(1),
      currency: z.literal("CNY"),
      total_cents: Cents,
      state: z.enum(["issued", "void"]),
      customer_label: z.string().min(1),
    })
    .nullable(),
});
export type OrderRecord = z.infer<typeof OrderRecord>;

export const BusinessData = z.strictObject({
  fictional: z.literal(true),
  as_of: CalendarDate,
  products: z.array(ProductRecord).min(1),
  orders: z.array(OrderRecord).min(1),
});
export type BusinessData = z.infer<typeof BusinessData>;

/** One thing that is wrong with a data file, for the person who writes it. */
export type DataProblem = { record: string; field: string; problem: string };

/**
 * Checks what a schema cannot say. A cancelled order was charged nothing: paid, freight and refunds are 0 and its invoice is void;
 * for every other order list price − discount = paid items. For all: paid items + freight = invoice total, refunded ≤ paid items.
 */
export function businessDataProblems(data: BusinessData): DataProblem[] {
  const skus = new Map(data.products.map((product) => [product.sku, product]));
  const repeated = [
    ...repeats(data.orders.map((order) => order.order_id)),
    ...repeats(data.products.map((p) => p.sku)),
  ];
  return [
    ...repeated.map((record) => ({ record, field: "id", problem: "appears twice" })),
    ...data.orders.flatMap((order) =>
      orderRules(order, skus.get(order.sku), data.as_of)
        .filter(([broken]) => broken)
        .map(([, field, problem]) => ({ record: order.order_id, field, problem })),
    ),
  ];
}

function orderRules(order: OrderRecord, product: ProductRecord | undefined, asOf: string): [boolean, string, string][] {
  const cancelled = order.status === "cancelled";
  const charged = order.paid_items_cents + order.shipping_cents + order.refunded_cents;
  const invoice = order.invoice;
  return [
    [product === undefined, "sku", "is not among the products"],
    [product !== undefined && product.category !== order.category, "category", "differs from the product's category"],
    [
      !cancelled && order.list_price_cents - order.discount_cents !== order.paid_items_cents,
      "paid_items_cents",
      "must equal list_price_cents minus discount_cents",
    ],
    [cancelled && charged !== 0, "paid_items_cents", "a cancelled order is charged and refunded nothing"],
    [order.refunded_cents > order.paid_items_cents, "refunded_cents", "must not exceed paid_items_cents"],
    [
      (order.status === "delivered") !== (order.delivered_on !== null),
      "delivered_on",
      "is set for delivered orders only",
    ],
    [(order.delivered_on ?? "") > asOf, "delivered_on", "must not lie after as_of"],
    [order.invoice_id !== (invoice?.invoice_id ?? null), "invoice_id", "must equal the invoice's own id"],
    [
      invoice !== null && invoice.total_cents !== order.paid_items_cents + order.shipping_cents,
      "invoice.total_cents",
      "must equal paid_items_cents plus shipping_cents",
    ],
    [
      invoice !== null && (invoice.state === "void") !== cancelled,
      "invoice.state",
      "is void for cancelled orders only",
    ],
  ];
}

function repeats(ids: readonly string[]): string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}
