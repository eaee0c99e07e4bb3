/** Owns opening application.db: the host's own records. No other process writes it, and it opens no other process's. */
import { existsSync } from "node:fs";
import type { Kysely, Transaction } from "kysely";
import { AftersalesError } from "../domain/errors.js";
import { kyselyOver, migrate, openFile } from "../sqlite/open.js";
import { APPLICATION_MIGRATIONS, type ApplicationSchema } from "./application-schema.js";

export type ApplicationDb = Kysely<ApplicationSchema>;
export type ApplicationTrx = Transaction<ApplicationSchema>;

/** Opens the file, creating and migrating it when `create` is true. Throws `state_missing` when it is not there otherwise, `NewerDatabase`. */
export async function openApplicationDatabase(
  path: string,
  options: { create: boolean; stateDir: string },
): Promise<ApplicationDb> {
  if (!options.create && !existsSync(path)) throw new AftersalesError("state_missing", { dir: options.stateDir });
  const file = openFile(path, { create: options.create });
  const db = kyselyOver<ApplicationSchema>(file);
  try {
    await migrate(db, file, APPLICATION_MIGRATIONS);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
