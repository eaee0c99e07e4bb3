/** The file commerce.db: complete or absent, private, seeded once, untouched by opening. */
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { COMMERCE_MIGRATIONS } from "../../src/commerce-mcp/commerce-tables.js";
import { readBusinessData } from "../../src/commerce-mcp/data-files.js";
import { createCommerceDatabase, openCommerceDatabase, readBusinessDate } from "../../src/commerce-mcp/database.js";
import { NewerDatabase } from "../../src/sqlite/open.js";
import { dataOf } from "../support/commerce-client.js";
import { startInMemory } from "../support/commerce-in-memory.js";
import { openShop, type Shop } from "../support/commerce-shop.js";

let shop: Shop;

beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.remove());

const files = () => readdirSync(shop.root).filter((name) => name !== "data");

describe("creating", () => {
  it("leaves one private file and no drafts", () => {
    expect(files()).toEqual(["commerce.db"]);
    expect(statSync(shop.database).mode & 0o777).toBe(0o600);
  });

  it("seeds every order once", () => {
    const db = new Database(shop.database, { readonly: true });
    expect(db.prepare("select count(*) as n from orders").get()).toEqual({ n: 8 });
    expect(db.prepare("select count(*) as n from products").get()).toEqual({ n: 2 });
    expect(db.prepare("select * from meta").all()).toEqual([{ name: "as_of", value: "2026-09-12" }]);
    expect(db.prepare("select count(*) as n from receipts").get()).toEqual({ n: 0 });
    db.close();
  });

  it("leaves an existing file alone, whatever it is, and does not even read the data", async () => {
    const before = readFileSync(shop.database);
    const never = () => {
      throw new Error("was read");
    };
    expect(await createCommerceDatabase(shop.database, never)).toBe(false);
    expect(readFileSync(shop.database).equals(before)).toBe(true);
    const other = join(shop.root, "other.db");
    writeFileSync(other, "not a database");
    expect(await createCommerceDatabase(other, never)).toBe(false);
    expect(readFileSync(other, "utf8")).toBe("not a database");
  });

  it("leaves nothing behind when the data is refused or seeding fails", async () => {
    rmSync(shop.database);
    const refuse = () => {
      throw new Error("wrong data");
    };
    await expect(createCommerceDatabase(shop.database, refuse)).rejects.toThrow("wrong data");
    const twice = readBusinessData(shop.dataDir);
    twice.orders = [...twice.orders, ...twice.orders];
    await expect(createCommerceDatabase(shop.database, () => twice)).rejects.toThrow("UNIQUE");
    expect(files()).toEqual([]);
  });

  it("by eight at once makes one complete database and overwrites none", async () => {
    rmSync(shop.database);
    const made = await Promise.all(
      Array.from({ length: 8 }, () => createCommerceDatabase(shop.database, () => readBusinessData(shop.dataDir))),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(files()).toEqual(["commerce.db"]);
    expect(shop.balance("QH-1001")).toEqual({ refunded_cents: 0, version: 1 });
  });
});

describe("opening", () => {
  it("an existing database writes nothing, and neither do all six reads", async () => {
    const before = readFileSync(shop.database);
    const witness = new Database(shop.database, { readonly: true });
    const version = () => witness.pragma("data_version", { simple: true });
    const atFirst = version();
    for (let round = 0; round < 2; round++) {
      const alice = await startInMemory(shop, "alice");
      await alice.call("list_orders");
      for (const tool of ["get_order", "get_shipment", "get_invoice"]) await alice.call(tool, { order_id: "QH-1001" });
      await alice.call("get_product", { sku: "DESK-01" });
      await alice.call("get_ticket", { ticket_id: "T-0123456789abcdef" });
      expect(version()).toBe(atFirst);
      await alice.close();
    }
    witness.close();
    expect(readFileSync(shop.database).equals(before)).toBe(true);
  });

  it("needs neither business.json nor its orders: the business date is in the file", async () => {
    rmSync(join(shop.dataDir, "business.json"));
    const alice = await startInMemory(shop, "alice");
    expect(dataOf(await alice.call("get_order", { order_id: "QH-1001" }))).toMatchObject({ paid_items_cents: 12_900 });
    expect(await readBusinessDate(alice.db)).toBe("2026-09-12");
    await alice.close();
  });

  it("refuses a missing file and makes none", async () => {
    const missing = join(shop.root, "missing.db");
    await expect(openCommerceDatabase(missing)).rejects.toMatchObject({ code: "state_missing" });
    expect(existsSync(missing)).toBe(false);
  });

  it("refuses a file that a later program wrote", async () => {
    shop.tamper("insert into kysely_migration values ('9999_later', '2027-01-01')");
    await expect(openCommerceDatabase(shop.database)).rejects.toBeInstanceOf(NewerDatabase);
  });

  it("refuses a database without a business date", async () => {
    shop.tamper("delete from meta");
    const db = await openCommerceDatabase(shop.database);
    await expect(readBusinessDate(db)).rejects.toMatchObject({ code: "database_failed" });
    await db.destroy();
  });

  it("keeps receipts and balances of a copy restored from backup", async () => {
    shop.tamper("update orders set refunded_cents = 100, version = 2 where order_id = 'QH-1001'");
    const copy = join(shop.root, "copy.db");
    copyFileSync(shop.database, copy);
    const db = await openCommerceDatabase(copy);
    const row = await db
      .selectFrom("orders")
      .select("refunded_cents")
      .where("order_id", "=", "QH-1001")
      .executeTakeFirst();
    expect(row).toEqual({ refunded_cents: 100 });
    await db.destroy();
  });
});

describe("the tables themselves", () => {
  it.each([12_901, -1])("refuse a refund of %i cents on 12900 paid", (cents) => {
    expect(() => shop.tamper(`update orders set refunded_cents = ${cents} where order_id = 'QH-1001'`)).toThrow(
      "CHECK",
    );
  });

  it("refuse a second receipt for one approval of a merchant, and keep two merchants apart", () => {
    const insert = (tenant: string) => shop.tamper(`insert into receipts values ('${tenant}', 'ap-1', 'd', 'b')`);
    insert("qinghe");
    expect(() => insert("qinghe")).toThrow("UNIQUE");
    insert("south");
  });

  it("come from migrations in a fixed order", () => {
    expect(Object.keys(COMMERCE_MIGRATIONS)).toEqual(Object.keys(COMMERCE_MIGRATIONS).toSorted());
  });
});
