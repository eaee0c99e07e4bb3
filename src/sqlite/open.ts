/** Owns opening a SQLite file: private modes, write-ahead log, full synchronisation, short lock waits, migrations. */
import { closeSync, existsSync, openSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { Kysely, type Migration, Migrator } from "kysely";
import { z } from "zod";
import { ImmediateDialect, isBusy, type Patience, whileBusy } from "./dialect.js";

/** A lock shorter than this blocks the event loop; a longer one is waited for outside the driver. Milliseconds. */
const BLOCKING_WAIT_MS = 200;
const TOTAL_WAIT_MS = 5_000;

/** A file that a later program has written. Its tables may mean something else, so nothing is read from it or changed in it. */
export class NewerDatabase extends Error {
  override name = "NewerDatabase";
  constructor(readonly file: string) {
    super(`${file} was written by a newer version of this program`);
  }
}

/** Monotonic, so that a step of the wall clock neither cuts a wait short nor makes it endless. */
export function realPatience(): Patience {
  return { totalMs: TOTAL_WAIT_MS, nowMs: () => performance.now(), waitMs: (ms) => wait(ms) };
}

/**
 * Opens one file. Creates it (mode 0600) only when `create` is true; otherwise a missing file throws SQLITE_CANTOPEN.
 * SQLite gives its companion files the same mode. `synchronous=FULL` must be set on every connection: SQLite falls back to NORMAL when a write-ahead log exists.
 */
export function openFile(path: string, options: { create: boolean }): Database.Database {
  if (options.create && !existsSync(path)) closeSync(openSync(path, "a", 0o600));
  const database = new Database(path, { timeout: BLOCKING_WAIT_MS, fileMustExist: true });
  try {
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.pragma("foreign_keys = ON");
    database.pragma("secure_delete = ON");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** One kysely instance per file and process: a second one would wait for the first on the same thread. */
export function kyselyOver<Schema>(database: Database.Database, patience: Patience = realPatience()): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new ImmediateDialect(database, patience) });
}

/** The migrations a file has seen, without taking its write lock: opening a database must not wait for somebody else's work. */
function executedMigrations(database: Database.Database): string[] {
  const known = database
    .prepare("select name from sqlite_master where type = 'table' and name = 'kysely_migration'")
    .get();
  if (known === undefined) return [];
  return z
    .array(z.object({ name: z.string() }))
    .parse(database.prepare("select name from kysely_migration").all())
    .map(({ name }) => name);
}

/** Brings the schema up to date. Throws `NewerDatabase` when the file was written by a later program. */
export async function migrate<Schema>(
  db: Kysely<Schema>,
  database: Database.Database,
  migrations: Record<string, Migration>,
  patience: Patience = realPatience(),
): Promise<void> {
  const executed = executedMigrations(database);
  if (executed.some((name) => !Object.hasOwn(migrations, name))) throw new NewerDatabase(basename(database.name));
  if (executed.length === Object.keys(migrations).length) return;
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await whileBusy(async () => {
    const result = await migrator.migrateToLatest();
    if (isBusy(result.error)) throw result.error;
    return result;
  }, patience);
  if (error !== undefined) throw error;
}
