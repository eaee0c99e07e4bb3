/** Owns removing what is no longer needed of finished cases. Decisions, receipts and one line that says what was removed stay for good. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { hasEnded } from "../domain/case.js";
import { type Clock, toInstant } from "../domain/clock.js";
import { AftersalesError } from "../domain/errors.js";
import type { Identity } from "../domain/identity.js";
import { CaseId } from "../domain/ids.js";
import type { ApplicationDb } from "./application-database.js";
import { assertHeld, type CaseLeases } from "./case-lease.js";
import { findCase } from "./case-store.js";
import { FIRST_HASH } from "./event-log.js";
import type { LeasedSaver } from "./leased-saver.js";

type Deps = {
  db: ApplicationDb;
  checkpoints: () => Promise<LeasedSaver>;
  leases: CaseLeases;
  clock: Clock;
  artifactsDir: string;
};

export type Retention = {
  /** Purges the merchant's cases that ended before `beforeMs`; returns their ids. Reviewers only. */
  purge(caller: Identity, beforeMs: number): Promise<CaseId[]>;
  /** Purges one ended case, for its applicant or a reviewer of the merchant (the caller has been checked). */
  forget(caseId: CaseId, caller: Identity): Promise<void>;
};

export function createRetention(deps: Deps): Retention {
  const { db } = deps;
  return {
    async purge(caller, beforeMs) {
      if (caller.role !== "reviewer") throw new AftersalesError("not_reviewer");
      const rows = await db
        .selectFrom("cases")
        .select("case_id")
        .where("tenant", "=", caller.tenant)
        .where("status", "in", ["completed", "needs_input", "rejected", "withdrawn"])
        .where("updated_at", "<", toInstant(beforeMs))
        .where("case_id", "not in", db.selectFrom("purges").select("case_id"))
        .execute();
      const ids = rows.map(({ case_id }) => CaseId.parse(case_id));
      for (const id of ids) await removeCase(deps, id, caller);
      if (ids.length > 0) await erase(deps);
      return ids;
    },
    async forget(caseId, caller) {
      await removeCase(deps, caseId, caller);
      await erase(deps);
    },
  };
}

async function removeCase(
  { db, checkpoints, leases, clock, artifactsDir }: Deps,
  caseId: CaseId,
  caller: Identity,
): Promise<void> {
  await leases.hold(caseId, async () => {
    const row = await findCase(db, caseId);
    if (row === null) throw new AftersalesError("case_not_accessible");
    if (!hasEnded(row.status)) throw new AftersalesError("case_not_ended", { status: row.status });
    const epoch = leases.epochOf(caseId);
    await db.transaction().execute(async (trx) => {
      await assertHeld(trx, caseId, epoch);
      const events = await trx
        .selectFrom("events")
        .select(["number", "hash"])
        .where("case_id", "=", caseId)
        .orderBy("number")
        .execute();
      await trx
        .insertInto("purges")
        .values({
          case_id: caseId,
          events: events.length,
          last_hash: events.at(-1)?.hash ?? FIRST_HASH,
          purged_at: toInstant(clock.nowMs()),
          purged_by: caller.user,
        })
        .onConflict((conflict) => conflict.column("case_id").doNothing())
        .execute();
      await trx.deleteFrom("events").where("case_id", "=", caseId).execute();
      await trx.deleteFrom("notes").where("case_id", "=", caseId).execute();
      await trx
        .updateTable("cases")
        .set({ question: "", answer: null, evidence: null, artifact: null })
        .where("case_id", "=", caseId)
        .execute();
    });
    await (await checkpoints()).deleteThread(caseId);
    // Every outcome on the way left a record of its own, not only the last one.
    for (const name of existsSync(artifactsDir) ? readdirSync(artifactsDir) : []) {
      if (name.startsWith(`${caseId}-`)) rmSync(join(artifactsDir, name), { force: true });
    }
  });
}

/** Deleted rows stay in free pages and in the log until both are rewritten; `secure_delete` alone does not reach the log. */
async function erase({ db, checkpoints }: Deps): Promise<void> {
  await sql`vacuum`.execute(db);
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  const { db: file } = await checkpoints();
  file.exec("vacuum");
  file.pragma("wal_checkpoint(truncate)");
}
