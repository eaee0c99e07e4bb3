/** Owns the merchant that whole cases are measured on: the shipped data with as many refundable orders as there are cases. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { readConfig, systemClocks } from "../src/graph/compose.js";
import { initialise } from "../src/graph/compose-state.js";

const Order = z.looseObject({
  order_id: z.string(),
  shipment: z.looseObject({ tracking_id: z.string() }),
  invoice_id: z.string(),
  invoice: z.looseObject({ invoice_id: z.string() }),
});
const Business = z.looseObject({ orders: z.array(z.looseObject({ order_id: z.string() })) });

/** The order that every measured case is a copy of: one delivered item, CNY 129.00, refundable. */
const MODEL_ORDER = "QH-1001";

export type Merchant = { stateDir: string; dataDir: string; remove(): void };

/** Orders QH-4000 and up; no shipped order has such a number. */
export const benchOrder = (index: number): string => `QH-${4000 + index}`;

/** An initialised state directory in the system's temporary folder, with `orders` further orders of alice's. */
export async function createMerchant(orders: number): Promise<Merchant> {
  const root = mkdtempSync(join(tmpdir(), "aftersales-bench-"));
  const merchant = { stateDir: join(root, "state"), dataDir: join(root, "data") };
  cpSync("data", merchant.dataDir, { recursive: true });
  const file = join(merchant.dataDir, "business.json");
  const business = Business.parse(JSON.parse(readFileSync(file, "utf8")));
  const model = Order.parse(business.orders.find(({ order_id }) => order_id === MODEL_ORDER));
  const copies = Array.from({ length: orders }, (_, index) => copyOf(model, benchOrder(index)));
  writeFileSync(file, JSON.stringify({ ...business, orders: [...business.orders, ...copies] }));
  await initialise({ ...merchant, config: benchConfig(), clocks: systemClocks });
  return { ...merchant, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** The built commerce process, whatever the environment says. */
export function benchConfig() {
  return { ...readConfig({}), commerce: { command: process.execPath, args: [resolve("dist/commerce.mjs")] } };
}

function copyOf(order: z.infer<typeof Order>, orderId: string): z.infer<typeof Order> {
  const number = orderId.slice(3);
  const invoiceId = `INV-${number}`;
  return {
    ...order,
    order_id: orderId,
    shipment: { ...order.shipment, tracking_id: `DEMO-${number}` },
    invoice_id: invoiceId,
    invoice: { ...order.invoice, invoice_id: invoiceId },
  };
}
