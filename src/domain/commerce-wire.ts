/** Owns what crosses the wire to and from the commerce process: snake_case records, tool arguments and the error envelope. */
import { z } from "zod";
import { ApprovalId, CalendarDate, Instant, OrderId, Sha256Hex, Sku } from "./ids.js";
import { LIMITS } from "./limits.js";

/** The key under which a tool error travels in `_meta`, beside the same object as JSON text. */
export const ERROR_META_KEY = "cn.qinghe.aftersales/error";

const cents = z.int().min(0);
const orderStatus = z.enum(["processing", "shipped", "delivered", "cancelled"]);
const category = z.enum(["standard", "custom", "digital"]);
const name = z.strictObject({ zh: z.string(), en: z.string() });

export const OrderWire = z.strictObject({
  order_id: OrderId,
  sku: Sku,
  category,
  status: orderStatus,
  quantity: z.int().min(1),
  list_price_cents: cents,
  discount_cents: cents,
  paid_items_cents: cents,
  shipping_cents: cents,
  refunded_cents: cents,
  delivered_on: CalendarDate.nullable(),
  return_received: z.boolean(),
  version: z.int().min(1),
  invoice_id: z.string().nullable(),
});
export type OrderWire = z.infer<typeof OrderWire>;

export const OrderListWire = z.strictObject({
  orders: z.array(z.strictObject({ order_id: OrderId, sku: Sku, status: orderStatus })).max(LIMITS.listedOrders),
});

export const ShipmentWire = z.strictObject({
  order_id: OrderId,
  carrier: name.nullable(),
  tracking_id: z.string().nullable(),
  events: z.array(z.strictObject({ status: orderStatus, date: CalendarDate })),
});
export type ShipmentWire = z.infer<typeof ShipmentWire>;

/** `invoice` is null while none has been issued: a valid empty answer, not an error. */
export const InvoiceWire = z.strictObject({
  order_id: OrderId,
  invoice: z
    .strictObject({
      invoice_id: z.string(),
      currency: z.literal("CNY"),
      total_cents: cents,
      state: z.enum(["issued", "void"]),
      customer_label: z.string(),
    })
    .nullable(),
});
export type InvoiceWire = z.infer<typeof InvoiceWire>;

export const ProductWire = z.strictObject({ sku: Sku, name, category, warranty_months: z.int().min(0) });
export type ProductWire = z.infer<typeof ProductWire>;

export const TicketWire = z.strictObject({
  ticket_id: z.string().regex(/^T-[0-9a-f]{16}$/),
  order_id: OrderId,
  summary: z.string(),
  status: z.literal("open"),
  simulated: z.literal(true),
});
export type TicketWire = z.infer<typeof TicketWire>;

export const ReceiptWire = z.strictObject({
  receipt_id: z.string().regex(/^SIM-[A-Za-z0-9-]{1,64}$/),
  approval_id: ApprovalId,
  digest: Sha256Hex,
  order_id: OrderId,
  amount_cents: cents,
  currency: z.literal("CNY"),
  simulated: z.literal(true),
  executed_at: Instant,
});
export type ReceiptWire = z.infer<typeof ReceiptWire>;

/** Where the commerce process keeps a customer's own cap basis. */
export const CAP_BASIS_URI = "qinghe://cap-basis";

/** Delivery fees of a customer's delivered orders, by day of delivery, both days included. A zero here is a known zero. */
export const CapBasisWire = z.strictObject({
  currency: z.literal("CNY"),
  from: CalendarDate,
  to: CalendarDate,
  delivered_orders: z.int().min(0),
  delivery_fees_cents: cents,
});
export type CapBasisWire = z.infer<typeof CapBasisWire>;

/** Arguments of the eight tools. Strict objects of plain primitives, so that every client shows a model the same schema. */
export const COMMERCE_ARGUMENTS = {
  list_orders: z.strictObject({}),
  get_order: z.strictObject({ order_id: OrderId }),
  get_shipment: z.strictObject({ order_id: OrderId }),
  get_invoice: z.strictObject({ order_id: OrderId }),
  get_product: z.strictObject({ sku: Sku }),
  get_ticket: z.strictObject({ ticket_id: z.string().min(1).max(LIMITS.idempotencyKeyChars) }),
  create_ticket: z.strictObject({
    order_id: OrderId,
    summary: z.string().min(1).max(LIMITS.ticketSummaryChars),
    idempotency_key: z.string().min(1).max(LIMITS.idempotencyKeyChars),
  }),
  execute_refund: z.strictObject({ approval_id: ApprovalId, grant: z.string().min(1).max(8_000) }),
} as const;

export const COMMERCE_RESULTS = {
  list_orders: OrderListWire,
  get_order: OrderWire,
  get_shipment: ShipmentWire,
  get_invoice: InvoiceWire,
  get_product: ProductWire,
  get_ticket: TicketWire,
  create_ticket: TicketWire,
  execute_refund: ReceiptWire,
} as const;

export type CommerceToolName = keyof typeof COMMERCE_ARGUMENTS;
export const COMMERCE_READ_TOOLS = [
  "list_orders",
  "get_order",
  "get_shipment",
  "get_invoice",
  "get_product",
  "get_ticket",
] as const;
export type CommerceReadTool = (typeof COMMERCE_READ_TOOLS)[number];

export const ErrorCategory = z.enum(["transient", "validation", "permission", "business", "internal"]);
export type ErrorCategory = z.infer<typeof ErrorCategory>;

/** The body of a failed tool call. `message` is one of our own sentences, never an exception's text. */
export const ToolErrorWire = z.strictObject({
  category: ErrorCategory,
  code: z.string().regex(/^[a-z][a-z0-9_]{2,60}$/),
  retryable: z.boolean(),
  message: z.string().max(500),
});
export type ToolErrorWire = z.infer<typeof ToolErrorWire>;
