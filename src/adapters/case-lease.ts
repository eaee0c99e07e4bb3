/** Owns who may write a case: a fencing token in application.db, claimed before work, renewed while it lasts, checked inside every write. */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Clock } from "../domain/clock.js";
import { toInstant } from "../domain/clock.js";
import { AftersalesError } from "../domain/errors.js";
import type { CaseId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { NewEvent } from "../domain/ports.js";
import type { ApplicationDb, ApplicationTrx } from "./application-database.js";
import { appendEvents } from "./event-log.js";
import type { GroupedWrite } from "./grouped-writes.js";

/** The second half of a claim: the other database refuses older holders from the moment `raise` returns. */
export type Fence = {
  raise(caseId: CaseId, epoch: number): Promise<void>;
  drop(caseId: CaseId): void;
};

type Held = { epoch: number; timer: NodeJS.Timeout; lost: AbortController; expiresMs: number; waiting: NewEvent[] };
/** Everybody in this process who works on one case. Counted before the first wait, so that no use can slip past the last one's end. */
type Use = { users: number; lease: Promise<Held> };

export type CaseLeases = {
  /**
   * Runs `work` while this process holds the case, joining a hold it already has. `signal` aborts when the lease is lost.
   * Throws `case_busy` when another process holds it.
   */
  hold<T>(caseId: CaseId, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** The epoch every write must carry. Throws `lease_required` outside `hold`, `lease_lost` after expiry. */
  epochOf(caseId: CaseId): number;
  /** The held case's events that no transaction has taken along yet; renewing and letting go write what is left. Throws `lease_required`. */
  waitingEvents(caseId: CaseId): NewEvent[];
  /** Lets go of everything at once, for a process that is about to end. */
  releaseAll(): Promise<void>;
};

type Deps = { db: ApplicationDb; inTransaction: GroupedWrite; clock: Clock; fence: () => Promise<Fence> };

export function createCaseLeases({ db, inTransaction, clock, fence }: Deps): CaseLeases {
  const owner = `${process.pid}-${randomUUID()}`;
  const held = new Map<CaseId, Held>();
  const uses = new Map<CaseId, Use>();
  const leaving = new Map<CaseId, Promise<void>>();
  const releasing = new Map<CaseId, Promise<void>>();

  async function claim(caseId: CaseId): Promise<Held> {
    const now = clock.nowMs();
    const expiresMs = now + LIMITS.leaseMs;
    const row = await inTransaction((trx) =>
      trx
        .insertInto("leases")
        .values({ case_id: caseId, epoch: 1, owner, expires_ms: expiresMs })
        .onConflict((conflict) =>
          conflict
            .column("case_id")
            .doUpdateSet({ epoch: sql`leases.epoch + 1`, owner, expires_ms: expiresMs })
            .where((eb) => eb.or([eb("leases.owner", "is", null), eb("leases.expires_ms", "<", now)])),
        )
        .returning("epoch")
        .executeTakeFirst(),
    );
    if (row === undefined) throw await busy(caseId);
    const lease: Held = {
      epoch: row.epoch,
      timer: setInterval(() => void renew(caseId), LIMITS.leaseRenewalMs),
      lost: new AbortController(),
      expiresMs,
      waiting: [],
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
      if (await updateLease(caseId, lease, { expires_ms: expiresMs })) lease.expiresMs = expiresMs;
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
    await updateLease(caseId, lease, { owner: null, expires_ms: 0 });
  }

  /** Changes the lease while it is still this process's, and with it writes the events that wait. False when it is not. */
  async function updateLease(
    caseId: CaseId,
    { epoch, waiting }: Held,
    change: { owner?: null; expires_ms: number },
  ): Promise<boolean> {
    let taken: NewEvent[] = [];
    try {
      return await inTransaction(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("leases")
          .set(change)
          .where("case_id", "=", caseId)
          .where("epoch", "=", epoch)
          .where("owner", "=", owner)
          .executeTakeFirst();
        if (numUpdatedRows !== 1n) return false;
        taken = waiting.splice(0);
        await appendEvents(trx, clock, caseId, taken);
        return true;
      });
    } catch (error) {
      waiting.unshift(...taken);
      throw error;
    }
  }

  function enter(caseId: CaseId): Use {
    const known = uses.get(caseId);
    const use = known ?? { users: 0, lease: claimAfter(leaving.get(caseId), caseId) };
    uses.set(caseId, use);
    use.users += 1;
    return use;
  }

  async function claimAfter(end: Promise<void> | undefined, caseId: CaseId): Promise<Held> {
    await end?.catch(() => undefined);
    return claim(caseId);
  }

  async function leave(caseId: CaseId, use: Use): Promise<void> {
    use.users -= 1;
    if (use.users > 0) return;
    uses.delete(caseId);
    const end = use.lease.then(
      (lease) => letGo(caseId, lease),
      () => undefined,
    );
    leaving.set(caseId, end);
    try {
      await end;
    } finally {
      if (leaving.get(caseId) === end) leaving.delete(caseId);
    }
  }

  return {
    async hold(caseId, work) {
      const use = enter(caseId);
      try {
        return await work((await use.lease).lost.signal);
      } finally {
        await leave(caseId, use);
      }
    },
    epochOf(caseId) {
      const lease = held.get(caseId);
      if (lease === undefined) throw new AftersalesError("lease_required");
      if (lease.lost.signal.aborted || clock.nowMs() > lease.expiresMs) throw new AftersalesError("lease_lost");
      return lease.epoch;
    },
    waitingEvents(caseId) {
      const lease = held.get(caseId);
      if (lease === undefined) throw new AftersalesError("lease_required");
      return lease.waiting;
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
