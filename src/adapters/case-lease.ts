/** Owns who may write a case: a fencing token in application.db, claimed before work, renewed while it lasts, checked inside every write. */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Clock } from "../domain/clock.js";
import { toInstant } from "../domain/clock.js";
import { AftersalesError } from "../domain/errors.js";
import type { CaseId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { ApplicationDb, ApplicationTrx } from "./application-database.js";

/** The second half of a claim: the other database refuses older holders from the moment `raise` returns. */
export type Fence = {
  raise(caseId: CaseId, epoch: number): Promise<void>;
  drop(caseId: CaseId): void;
};

type Held = { epoch: number; users: number; timer: NodeJS.Timeout; lost: AbortController; expiresMs: number };

export type CaseLeases = {
  /**
   * Runs `work` while this process holds the case, joining a hold it already has. `signal` aborts when the lease is lost.
   * Throws `case_busy` when another process holds it.
   */
  hold<T>(caseId: CaseId, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** The epoch every write must carry. Throws `lease_required` outside `hold`, `lease_lost` after expiry. */
  epochOf(caseId: CaseId): number;
  /** Lets go of everything at once, for a process that is about to end. */
  releaseAll(): Promise<void>;
};

export function createCaseLeases(deps: { db: ApplicationDb; clock: Clock; fence: () => Promise<Fence> }): CaseLeases {
  const { db, clock, fence } = deps;
  const owner = `${process.pid}-${randomUUID()}`;
  const held = new Map<CaseId, Held>();
  const claiming = new Map<CaseId, Promise<Held>>();
  const releasing = new Map<CaseId, Promise<void>>();

  async function claim(caseId: CaseId): Promise<Held> {
    const now = clock.nowMs();
    const expiresMs = now + LIMITS.leaseMs;
    const row = await db
      .insertInto("leases")
      .values({ case_id: caseId, epoch: 1, owner, expires_ms: expiresMs })
      .onConflict((conflict) =>
        conflict
          .column("case_id")
          .doUpdateSet({ epoch: sql`leases.epoch + 1`, owner, expires_ms: expiresMs })
          .where((eb) => eb.or([eb("leases.owner", "is", null), eb("leases.expires_ms", "<", now)])),
      )
      .returning("epoch")
      .executeTakeFirst();
    if (row === undefined) throw await busy(caseId);
    const lease: Held = {
      epoch: row.epoch,
      users: 0,
      timer: setInterval(() => void renew(caseId), LIMITS.leaseRenewalMs),
      lost: new AbortController(),
      expiresMs,
    };
    lease.timer.unref();
    held.set(caseId, lease);
    try {
      // Only after both databases know the new epoch may the state be read: until then an older holder could still write.
      await (await fence()).raise(caseId, row.epoch);
    } catch (error) {
      await letGo(caseId, lease);
      throw error;
    }
    return lease;
  }

  async function busy(caseId: CaseId): Promise<AftersalesError> {
    const row = await db.selectFrom("leases").select("expires_ms").where("case_id", "=", caseId).executeTakeFirst();
    return new AftersalesError("case_busy", { until: toInstant(row?.expires_ms ?? clock.nowMs()) });
  }

  /** A locked database is no reason to give up: the lease stays ours until it expires, and the next tick tries again. */
  async function renew(caseId: CaseId): Promise<void> {
    const lease = held.get(caseId);
    if (lease === undefined) return;
    const expiresMs = clock.nowMs() + LIMITS.leaseMs;
    try {
      const done = await db
        .updateTable("leases")
        .set({ expires_ms: expiresMs })
        .where("case_id", "=", caseId)
        .where("epoch", "=", lease.epoch)
        .where("owner", "=", owner)
        .executeTakeFirst();
      if (done.numUpdatedRows === 1n) lease.expiresMs = expiresMs;
      else lease.lost.abort(new AftersalesError("lease_lost"));
    } catch {
      if (clock.nowMs() > lease.expiresMs) lease.lost.abort(new AftersalesError("lease_lost"));
    }
  }

  function letGo(caseId: CaseId, lease: Held): Promise<void> {
    clearInterval(lease.timer);
    if (held.get(caseId) === lease) held.delete(caseId);
    const released = release(caseId, lease).finally(() => releasing.delete(caseId));
    releasing.set(caseId, released);
    return released;
  }

  async function release(caseId: CaseId, lease: Held): Promise<void> {
    (await fence()).drop(caseId);
    await db
      .updateTable("leases")
      .set({ owner: null, expires_ms: 0 })
      .where("case_id", "=", caseId)
      .where("epoch", "=", lease.epoch)
      .where("owner", "=", owner)
      .execute();
  }

  async function join(caseId: CaseId): Promise<Held> {
    // Until our own release is on disk a new claim would find the case busy with ourselves.
    await releasing.get(caseId)?.catch(() => undefined);
    const mine = held.get(caseId);
    if (mine !== undefined && !claiming.has(caseId)) return mine;
    const started = claiming.get(caseId) ?? claim(caseId).finally(() => claiming.delete(caseId));
    claiming.set(caseId, started);
    return started;
  }

  return {
    async hold(caseId, work) {
      const lease = await join(caseId);
      lease.users += 1;
      try {
        return await work(lease.lost.signal);
      } finally {
        lease.users -= 1;
        // What was done is done: a release that fails only means that the lease ends by itself.
        if (lease.users === 0) await letGo(caseId, lease).catch(() => undefined);
      }
    },
    epochOf(caseId) {
      const lease = held.get(caseId);
      if (lease === undefined) throw new AftersalesError("lease_required");
      if (lease.lost.signal.aborted || clock.nowMs() > lease.expiresMs) throw new AftersalesError("lease_lost");
      return lease.epoch;
    },
    async releaseAll() {
      await Promise.allSettled([...held].map(([caseId, lease]) => letGo(caseId, lease)));
    },
  };
}

/** Inside a transaction: throws `lease_lost` unless `epoch` is still the case's current one. */
export async function assertHeld(trx: ApplicationTrx, caseId: CaseId, epoch: number): Promise<void> {
  const row = await trx.selectFrom("leases").select("epoch").where("case_id", "=", caseId).executeTakeFirst();
  if (row?.epoch !== epoch) throw new AftersalesError("lease_lost");
}
