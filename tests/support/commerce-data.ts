/** A small, valid data directory for the commerce process. Tests change what they are about and keep the rest. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { z } from "zod";
import type { BusinessData } from "../../src/domain/business-data.js";
import type { ProfilesFile } from "../../src/domain/identity.js";
import type { RefundRules } from "../../src/domain/refund-rules.js";

export type CommerceData = {
  business: z.input<typeof BusinessData>;
  profiles: z.input<typeof ProfilesFile>;
  rules: z.input<typeof RefundRules>;
  /** File name in knowledge/ to text. */
  knowledge: Record<string, string>;
};
type OrderInput = CommerceData["business"]["orders"][number];

export const BUSINESS_DATE = "2026-09-12";

/** An eligible order: 12,900 cents paid for the items, 1,200 for freight, delivered 7 days ago, goods back in the warehouse. */
function order(order_id: string, tenant: string, user: string, changes: Partial<OrderInput> = {}): OrderInput {
  const number = order_id.slice("QH-".length);
  return {
    order_id,
    tenant,
    user,
    sku: "DESK-01",
    category: "standard",
    status: "delivered",
    quantity: 1,
    list_price_cents: 14_900,
    discount_cents: 2_000,
    paid_items_cents: 12_900,
    shipping_cents: 1_200,
    refunded_cents: 0,
    delivered_on: "2026-09-05",
    return_received: true,
    version: 1,
    shipment: {
      carrier: { zh: "虚构快递", en: "Demo Express" },
      tracking_id: `DEMO-${number}`,
      events: [{ status: "delivered", date: "2026-09-05" }],
    },
    invoice_id: `INV-${number}`,
    invoice: {
      invoice_id: `INV-${number}`,
      currency: "CNY",
      total_cents: 14_100,
      state: "issued",
      customer_label: `${user.toUpperCase()} (synthetic)`,
    },
    ...changes,
  };
}

/**
 * QH-1001 and QH-1002 of alice are eligible, QH-1009 has 4,900 of 12,900 cents refunded, QH-1006 is processing and has neither
 * shipment nor invoice; QH-2001 is bob's, QH-3001 belongs to another merchant's customer. QH-3009 is the other merchant's customer of
 * alice's name, and QH-1999 says that a reviewer bought something: neither is anybody's to read.
 */
export function commerceData(): CommerceData {
  const processing = { status: "processing", delivered_on: null, return_received: false, shipment: null } as const;
  return {
    business: {
      fictional: true,
      as_of: BUSINESS_DATE,
      products: [
        { sku: "DESK-01", name: { zh: "桌面支架", en: "Desk stand" }, category: "standard", warranty_months: 12 },
        { sku: "MUG-04", name: { zh: "刻字杯", en: "Engraved mug" }, category: "custom", warranty_months: 6 },
      ],
      orders: [
        order("QH-1009", "qinghe", "alice", { refunded_cents: 4_900 }),
        order("QH-1001", "qinghe", "alice"),
        order("QH-1002", "qinghe", "alice"),
        order("QH-1006", "qinghe", "alice", { ...processing, invoice_id: null, invoice: null }),
        order("QH-2001", "qinghe", "bob"),
        order("QH-3001", "south", "lin"),
        order("QH-3009", "south", "alice"),
        order("QH-1999", "qinghe", "chen"),
      ],
    },
    profiles: {
      fictional: true,
      profiles: [
        { tenant: "qinghe", user: "alice", role: "customer" },
        { tenant: "qinghe", user: "bob", role: "customer" },
        { tenant: "qinghe", user: "carl", role: "customer" },
        { tenant: "qinghe", user: "chen", role: "reviewer" },
        { tenant: "qinghe", user: "dana", role: "reviewer" },
        { tenant: "south", user: "lin", role: "customer" },
        { tenant: "south", user: "mei", role: "reviewer" },
      ],
    },
    rules: {
      version: "returns-2026-09",
      tenant: "qinghe",
      return_days: 30,
      excluded_categories: ["custom", "digital"],
      automatic_quantity: 1,
      policy_pages: ["RETURNS:p02", "RETURNS:p03"],
      terms_by: "request_date",
      currency: "CNY",
      description: { zh: "整件退款。", en: "Whole items only." },
    },
    knowledge: { "RETURNS.md": policyText() },
  };
}

/** A returns policy with two pages; `header` overrides header fields, `p03` the English text of the second page. */
export function policyText(header: Record<string, unknown> = {}, p03 = "Freight is not refunded."): string {
  const fields = {
    id: "RETURNS",
    title: { zh: "退货", en: "Returns" },
    category: "refund",
    tenant: "qinghe",
    status: "active",
    version: "2026-09",
    effective_from: "2026-09-01",
    effective_to: null,
    fictional: true,
    ...header,
  };
  return [
    `<!-- ${JSON.stringify(fields)} -->`,
    "> Fictional.",
    "## p02 期限 / Window",
    "### zh\n\n三十天。",
    "### en\n\nThirty days.",
    "## p03 金额 / Amount",
    "### zh\n\n运费不退。",
    `### en\n\n${p03}\n`,
  ].join("\n\n");
}

/** Writes the four parts of a data set below `dir`. */
export function writeCommerceData(dir: string, { business, profiles, rules, knowledge }: CommerceData): void {
  mkdirSync(join(dir, "knowledge"), { recursive: true });
  const files = { "business.json": business, "profiles.json": profiles, "refund_rules.json": rules };
  for (const [name, value] of Object.entries(files)) writeFileSync(join(dir, name), JSON.stringify(value, null, 2));
  for (const [name, text] of Object.entries(knowledge)) writeFileSync(join(dir, "knowledge", name), text);
}

/** A fresh temporary folder with a data set in `data/`. Call `remove` when done. */
export function temporaryData(edit: (data: CommerceData) => void = () => {}): {
  root: string;
  dataDir: string;
  remove: () => void;
} {
  const root = mkdtempSync(join(tmpdir(), "commerce-test-"));
  const dataDir = join(root, "data");
  const data = commerceData();
  edit(data);
  writeCommerceData(dataDir, data);
  return { root, dataDir, remove: () => rmSync(root, { recursive: true, force: true }) };
}
