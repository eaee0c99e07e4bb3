/** What a killed process may have left of a step: the state before it, after it, or one that the step passes through. */
import { expect } from "vitest";
import type { Disk } from "./lifecycle-compare.js";
import { follow, type Reference, type ReferenceCase, record, refusal } from "./lifecycle-reference.js";

const ENDED = ["completed", "rejected", "withdrawn"];

/** Makes the reference what is on disk, if the disk is on the way; returns how far it came. */
export function adopt(ref: Reference, it: ReferenceCase, what: "ask" | "resume" | "requote", disk: Disk): string {
  const row = disk.rows.find(({ case_id }) => case_id === it.id);
  if (row === undefined) {
    ref.cases.splice(ref.cases.indexOf(it), 1);
    return "before it existed";
  }
  const lease = disk.leases.find(({ case_id }) => case_id === it.id);
  const way = [ref, ...stations(ref, it, what)];
  const reached = way.findLastIndex((station) => isHere(station, it.id, disk));
  expect(reached, `a state on the way of ${what}`).toBeGreaterThanOrEqual(0);
  Object.assign(ref, structuredClone(way[reached] ?? ref), { lose: ref.lose });
  const now = ref.cases.find(({ id }) => id === it.id);
  if (now === undefined) throw new Error("the case is gone");
  now.status = ENDED.includes(row.status) ? row.status : null;
  now.errorCode = undefined;
  now.busyUntilMs = lease?.owner == null ? -1 : lease.expires_ms;
  return `station ${reached} of ${way.length - 1}`;
}

/** The references a step passes through, each a copy of its own. */
function stations(ref: Reference, it: ReferenceCase, what: "ask" | "resume" | "requote"): Reference[] {
  const found: Reference[] = [];
  const copy = structuredClone(ref);
  const own = copy.cases.find(({ id }) => id === it.id);
  if (own === undefined) return [];
  const mark = (): void => void found.push(structuredClone(copy));
  if (what === "requote" && refusal(copy, own, "alice", "requote", true) === null) {
    record(own, "requote");
    mark();
  }
  if (what === "resume" && own.approval?.state === "approved") {
    // Paid, and the host does not know it yet.
    const paid = structuredClone(copy);
    paid.lose = 2;
    const payer = paid.cases.find(({ id }) => id === it.id);
    if (payer !== undefined) follow(paid, payer, true);
    found.push(paid);
  }
  follow(copy, own, what === "resume");
  mark();
  return found;
}

function isHere(station: Reference, caseId: string, disk: Disk): boolean {
  const it = station.cases.find(({ id }) => id === caseId);
  const latest = disk.latest(caseId);
  const row = disk.rows.find(({ case_id }) => case_id === caseId);
  if (it === undefined || it.delivered !== (row?.answer !== null)) return false;
  const money = Object.entries(station.orders).every(([orderId, order]) => {
    const found = disk.orders.find(({ order_id }) => order_id === orderId);
    return found?.refunded_cents === order.refundedCents && found.version === order.version;
  });
  if (it.approval === null || latest === null) return money && it.approval === null && latest === null;
  const { round, state, voidCode } = it.approval;
  return money && latest.round === round && latest.state === state && latest.void_code === voidCode;
}
