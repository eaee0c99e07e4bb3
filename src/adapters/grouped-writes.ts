/** Owns writing application.db for several cases at once: what is asked for in one turn of the event loop shares one transaction. */
import { sql } from "kysely";
import type { ApplicationDb, ApplicationTrx } from "./application-database.js";

export type GroupedWrite = <T>(work: (trx: ApplicationTrx) => Promise<T>) => Promise<T>;

/** `run` does its work and returns how to end it once everything is on disk. */
type Job = { run: (trx: ApplicationTrx) => Promise<() => void>; fail: (error: unknown) => void };

/**
 * Waiting for the disk costs more than the statements do, and it costs the same for one case as for ten. Each work has a savepoint, so that
 * one that throws is undone alone; all of them resolve after the one commit, never before. Nobody else reads in between: the connection
 * is not shared while a transaction is open.
 */
export function createGroupedWrites(db: ApplicationDb): GroupedWrite {
  let waiting: Job[] = [];
  let isRunning = false;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const jobs = waiting;
      waiting = [];
      await commitTogether(jobs);
    }
    isRunning = false;
  }

  async function commitTogether(jobs: readonly Job[]): Promise<void> {
    const endings: (() => void)[] = [];
    try {
      await db.transaction().execute(async (trx) => {
        for (const job of jobs) endings.push(await inSavepoint(trx, job));
      });
    } catch (error) {
      for (const job of jobs) job.fail(error);
      return;
    }
    for (const end of endings) end();
  }

  return (work) =>
    new Promise((done, fail) => {
      const run: Job["run"] = async (trx) => {
        const value = await work(trx);
        return () => done(value);
      };
      waiting.push({ run, fail });
      if (isRunning) return;
      isRunning = true;
      setImmediate(() => void flush());
    });
}

async function inSavepoint(trx: ApplicationTrx, job: Job): Promise<() => void> {
  await sql`savepoint own`.execute(trx);
  try {
    const end = await job.run(trx);
    await sql`release own`.execute(trx);
    return end;
  } catch (error) {
    try {
      await sql`rollback to own`.execute(trx);
      await sql`release own`.execute(trx);
    } catch {
      // A full disk makes SQLite undo the whole transaction: nobody's work is saved, and this is why.
      throw error;
    }
    return () => job.fail(error);
  }
}
