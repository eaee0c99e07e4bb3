/** Owns writing to a case: every transaction checks the lease inside itself and takes along the events that have waited for it. */
import { type Clock, toInstant } from "../domain/clock.js";
import type { CaseId } from "../domain/ids.js";
import type { Events, NewEvent } from "../domain/ports.js";
import type { ApplicationTrx } from "./application-database.js";
import { assertHeld, type CaseLeases } from "./case-lease.js";
import { appendEvents } from "./event-log.js";
import type { GroupedWrite } from "./grouped-writes.js";

/** One transaction on behalf of the case's holder. Throws `lease_required` or `lease_lost`, and then nothing is written. */
export type WriteCase = <T>(caseId: CaseId, work: (trx: ApplicationTrx) => Promise<T>) => Promise<T>;

type Deps = { inTransaction: GroupedWrite; clock: Clock; leases: Pick<CaseLeases, "epochOf" | "waitingEvents"> };

export function createCaseWrites({ inTransaction, clock, leases }: Deps): WriteCase {
  return async (caseId, work) => {
    const epoch = leases.epochOf(caseId);
    const waiting = leases.waitingEvents(caseId);
    let taken: NewEvent[] = [];
    try {
      return await inTransaction(async (trx) => {
        await assertHeld(trx, caseId, epoch);
        taken = waiting.splice(0);
        await appendEvents(trx, clock, caseId, taken);
        return work(trx);
      });
    } catch (error) {
      waiting.unshift(...taken);
      throw error;
    }
  };
}

/**
 * Events explain a case; nothing is decided by them. So they cost no transaction of their own: a step's are written with the charge or the
 * change that follows it. A process that is killed in between loses the last step's events, and never a charge or a change.
 */
export function createEventLog(deps: { clock: Clock; leases: Pick<CaseLeases, "epochOf" | "waitingEvents"> }): Events {
  const { clock, leases } = deps;
  return {
    async append(caseId, events) {
      leases.epochOf(caseId);
      const at = toInstant(clock.nowMs());
      leases.waitingEvents(caseId).push(...events.map((event) => ({ at, ...event })));
    },
  };
}
