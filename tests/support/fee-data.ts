/** The shipped data with other delivery fees. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { BusinessData } from "../../src/domain/business-data.js";
import { ROOT } from "./workspace.js";

/** The shipped data in which one customer never paid for a delivery; removed when the test ends. */
export function dataWithoutFees(user: string): string {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(ROOT, "data"), folder, { recursive: true });
  const file = join(folder, "business.json");
  const business = BusinessData.parse(JSON.parse(readFileSync(file, "utf8")));
  const orders = business.orders.map((order) => {
    if (order.user !== user) return order;
    const invoice = order.invoice === null ? null : { ...order.invoice, total_cents: order.paid_items_cents };
    return { ...order, shipping_cents: 0, invoice };
  });
  writeFileSync(file, JSON.stringify({ ...business, orders }));
  return folder;
}
