/** Owns the tables of commerce.db and the steps that make them. Ids are TEXT, money is whole cents, JSON that must keep its bytes is TEXT. */
import { type CreateTableBuilder, type Kysely, type Migration, sql } from "kysely";

export type OrderRow = {
  tenant: string;
  order_id: string;
  user_id: string;
  sku: string;
  category: string;
  status: string;
  quantity: number;
  list_price_cents: number;
  discount_cents: number;
  paid_items_cents: number;
  shipping_cents: number;
  refunded_cents: number;
  delivered_on: string | null;
  return_received: number;
  version: number;
  invoice_id: string | null;
  shipment: string | null;
  invoice: string | null;
};

export type CommerceTables = {
  orders: OrderRow;
  products: { sku: string; name_zh: string; name_en: string; category: string; warranty_months: number };
  tickets: { tenant: string; key: string; user_id: string; ticket_id: string; payload_hash: string; body: string };
  receipts: { tenant: string; approval_id: string; digest: string; body: string };
  meta: { name: string; value: string };
};

const ORDER_TEXTS = ["tenant", "order_id", "user_id", "sku", "category", "status"];
const CENTS = ["list_price_cents", "discount_cents", "paid_items_cents", "shipping_cents", "refunded_cents"] as const;

async function createFirstTables(db: Kysely<unknown>): Promise<void> {
  let orders: CreateTableBuilder<string, string> = textTable(db, "orders", ORDER_TEXTS);
  for (const amount of CENTS) orders = orders.addColumn(amount, "bigint", (column) => column.notNull());
  for (const count of ["quantity", "return_received", "version"]) {
    orders = orders.addColumn(count, "integer", (column) => column.notNull());
  }
  for (const optional of ["delivered_on", "invoice_id", "shipment", "invoice"])
    orders = orders.addColumn(optional, "text");
  await orders
    .addPrimaryKeyConstraint("orders_pk", ["tenant", "order_id"])
    .addCheckConstraint("refunded_within_paid", sql`refunded_cents >= 0 and refunded_cents <= paid_items_cents`)
    .execute();
  await textTable(db, "products", ["sku", "name_zh", "name_en", "category"])
    .addColumn("warranty_months", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("products_pk", ["sku"])
    .execute();
  await textTable(db, "tickets", ["tenant", "key", "user_id", "ticket_id", "payload_hash", "body"])
    .addPrimaryKeyConstraint("tickets_pk", ["tenant", "key"])
    .addUniqueConstraint("tickets_id", ["tenant", "ticket_id"])
    .execute();
  await textTable(db, "receipts", ["tenant", "approval_id", "digest", "body"])
    .addPrimaryKeyConstraint("receipts_pk", ["tenant", "approval_id"])
    .execute();
  await textTable(db, "meta", ["name", "value"]).addPrimaryKeyConstraint("meta_pk", ["name"]).execute();
}

function textTable(db: Kysely<unknown>, table: string, columns: readonly string[]): CreateTableBuilder<string, string> {
  let builder: CreateTableBuilder<string, string> = db.schema.createTable(table);
  for (const name of columns) builder = builder.addColumn(name, "text", (column) => column.notNull());
  return builder;
}

export const COMMERCE_MIGRATIONS: Record<string, Migration> = {
  "0001_first_tables": { up: createFirstTables },
};
