/** The host's stores on real files in a temporary folder, with a clock the test moves. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { createGrantKeys } from "../../src/adapters/grant-signer.js";
import { createStateFolders, type StatePaths, statePaths } from "../../src/adapters/state-directory.js";
import { openStores, type Stores } from "../../src/adapters/stores.js";
import type { CaseId } from "../../src/domain/ids.js";
import { CASE_ID, caseRow, NOW_MS } from "./ledger-values.js";

export type Ledger = {
  paths: StatePaths;
  clock: { nowMs: () => number; advance: (ms: number) => void };
  /** One process's view of the files; every call opens a connection of its own. Closed when the test ends. */
  open: () => Promise<Stores>;
  /** Reads or changes a file behind the product's back. */
  query: (file: "application" | "checkpoints", sql: string, ...values: unknown[]) => Record<string, unknown>[];
  run: (file: "application" | "checkpoints", sql: string, ...values: unknown[]) => void;
};

export async function createLedger(): Promise<Ledger> {
  const paths = statePaths(mkdtempSync(join(tmpdir(), "ledger-test-")));
  onTestFinished(() => rmSync(paths.root, { recursive: true, force: true }));
  createStateFolders(paths);
  await createGrantKeys(paths.keysDir);
  let nowMs = NOW_MS;
  const clock = {
    nowMs: () => nowMs,
    advance: (ms: number) => {
      nowMs += ms;
    },
  };
  const files = { application: paths.applicationDb, checkpoints: paths.checkpointsDb };
  function onDisk<Result>(file: keyof typeof files, work: (database: Database.Database) => Result): Result {
    const database = new Database(files[file], { fileMustExist: true });
    try {
      return work(database);
    } finally {
      database.close();
    }
  }
  return {
    paths,
    clock,
    async open() {
      const stores = await openStores({ paths, clock, create: true });
      onTestFinished(() => stores.close());
      return stores;
    },
    query: (file, sql, ...values) =>
      onDisk(file, (database) =>
        z.array(z.record(z.string(), z.unknown())).parse(database.prepare(sql).all(...values)),
      ),
    run: (file, sql, ...values) => onDisk(file, (database) => void database.prepare(sql).run(...values)),
  };
}

/** Opens a case for alice and lets go of it again. */
export async function openCase(stores: Stores, caseId: CaseId = CASE_ID): Promise<void> {
  await stores.leases.hold(caseId, () => stores.cases.open(caseRow({ caseId })));
}

/** Resolves when every microtask and immediate that was due has run. */
export function turnOfTheLoop(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
