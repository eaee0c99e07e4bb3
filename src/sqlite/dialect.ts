/** Owns how kysely talks to SQLite: transactions that take the write lock at once, and waiting for a lock without blocking the event loop. */
import type { Database, Statement } from "better-sqlite3";
import {
  CompiledQuery,
  type DatabaseConnection,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  type SqliteStatement,
} from "kysely";
import { keepStatements } from "./kept-statements.js";

/** How long a busy statement is tried again, and how the wait passes. `waitMs` resolves after about that many milliseconds. */
export type Patience = { totalMs: number; nowMs: () => number; waitMs: (ms: number) => Promise<void> };

export class ImmediateDialect extends SqliteDialect {
  readonly #database: Database;
  readonly #patience: Patience;

  constructor(database: Database, patience: Patience) {
    super({ database });
    this.#database = database;
    this.#patience = patience;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#database, this.#patience);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalDdlAdapter();
  }
}

/**
 * `begin` in SQLite is deferred: a transaction that reads and then writes fails with SQLITE_BUSY at the upgrade whatever the timeout.
 * `begin immediate` waits for its turn instead. A statement that was busy outside a transaction did nothing, so it is safe to try again.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: Database;
  readonly #patience: Patience;
  readonly #patient = new WeakSet<DatabaseConnection>();
  #inTransaction = false;

  constructor(database: Database, patience: Patience) {
    const prepare = keepStatements((sql) => forKysely(database.prepare(sql)));
    super({ database: { close: () => void database.close(), prepare } });
    this.#database = database;
    this.#patience = patience;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    if (!this.#patient.has(connection)) {
      this.#patient.add(connection);
      const run = connection.executeQuery.bind(connection);
      connection.executeQuery = (query) =>
        this.#inTransaction ? run(query) : whileBusy(() => run(query), this.#patience);
    }
    return connection;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
    this.#inTransaction = true;
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.commitTransaction(connection);
    } finally {
      this.#inTransaction = false;
    }
  }

  /** With a full disk SQLite undoes the whole transaction by itself; another rollback would fail and hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      if (this.#database.inTransaction) await super.rollbackTransaction(connection);
    } finally {
      this.#inTransaction = false;
    }
  }
}

function forKysely(statement: Statement): SqliteStatement {
  return {
    reader: statement.reader,
    all: (values) => statement.all(...values),
    run: (values) => statement.run(...values),
    iterate: (values) => statement.iterate(...values),
  };
}

/** Without this kysely migrates outside a transaction, and two processes creating one file both fail with "table already exists". */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

export function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}

/** Runs `work` again while the database is locked, yielding to the event loop in between. Throws the last error when time is up. */
export async function whileBusy<T>(work: () => Promise<T>, patience: Patience): Promise<T> {
  const end = patience.nowMs() + patience.totalMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || patience.nowMs() > end) throw error;
      await patience.waitMs(5 + Math.random() * 20);
    }
  }
}
