/** Owns the file commerce.db: it appears complete or not at all, is seeded once, and opening an existing one writes nothing. */
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Kysely } from "kysely";
import type { BusinessData } from "../domain/business-data.js";
import { AftersalesError } from "../domain/errors.js";
import { CalendarDate } from "../domain/ids.js";
import { kyselyOver, migrate, openFile } from "../sqlite/open.js";
import { COMMERCE_MIGRATIONS, type CommerceTables } from "./commerce-tables.js";
import { toOrderRow } from "./order-rows.js";

const BUSINESS_DATE = "as_of";

/**
 * Creates and seeds the database unless the file exists; returns whether it did. `readData` is only called for a new one.
 * The file is built beside its place and linked into it: a crash on the way leaves no database that a later run would take for a
 * complete one, and of two processes that create at once exactly one wins without overwriting the other.
 */
export async function createCommerceDatabase(path: string, readData: () => BusinessData): Promise<boolean> {
  if (existsSync(path)) return false;
  const data = readData();
  const draft = `${path}.${randomUUID()}.new`;
  try {
    const file = openFile(draft, { create: true });
    const db = kyselyOver<CommerceTables>(file);
    try {
      await migrate(db, file, COMMERCE_MIGRATIONS);
      await seed(db, data);
    } finally {
      await db.destroy();
    }
    return linkIntoPlace(draft, path);
  } finally {
    for (const companion of ["", "-wal", "-shm"]) rmSync(draft + companion, { force: true });
  }
}

/** Opens an existing database. Throws `state_missing` when there is none, `NewerDatabase` when a later program wrote it. Must be destroyed. */
export async function openCommerceDatabase(path: string): Promise<Kysely<CommerceTables>> {
  if (!existsSync(path)) throw new AftersalesError("state_missing", { dir: path });
  const file = openFile(path, { create: false });
  const db = kyselyOver<CommerceTables>(file);
  try {
    await migrate(db, file, COMMERCE_MIGRATIONS);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** The day, `YYYY-MM-DD`, on which refund windows are judged. It belongs to the seeded records, not to the clock. */
export async function readBusinessDate(db: Kysely<CommerceTables>): Promise<string> {
  const row = await db.selectFrom("meta").select("value").where("name", "=", BUSINESS_DATE).executeTakeFirst();
  const date = CalendarDate.safeParse(row?.value);
  if (!date.success) throw new AftersalesError("database_failed", { detail: "it holds no business date" });
  return date.data;
}

async function seed(db: Kysely<CommerceTables>, data: BusinessData): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const { name, ...product } of data.products) {
      await trx
        .insertInto("products")
        .values({ ...product, name_zh: name.zh, name_en: name.en })
        .execute();
    }
    for (const order of data.orders) await trx.insertInto("orders").values(toOrderRow(order)).execute();
    await trx.insertInto("meta").values({ name: BUSINESS_DATE, value: data.as_of }).execute();
  });
}

function linkIntoPlace(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
  const directory = openSync(dirname(path), "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
  return true;
}
