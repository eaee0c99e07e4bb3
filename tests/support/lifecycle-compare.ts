/** Reads what is on disk and holds it against the reference: money, approvals, case rows, leases. */
import { expect } from "vitest";
import { z } from "zod";
import { isBusy, type Reference, type ReferenceCase } from "./lifecycle-reference.js";
import type { Workspace } from "./workspace.js";

const Approval = z.looseObject({
  case_id: z.string(),
  round: z.int(),
  order_id: z.string(),
  state: z.string(),
  void_code: z.string().nullable(),
  digest: z.string(),
  proposal: z.string().transform((text) => z.looseObject({ amountCents: z.int() }).parse(JSON.parse(text))),
  grant_jws: z.string().nullable(),
  receipt: z.string().nullable(),
});
const Row = z.looseObject({
  case_id: z.string(),
  status: z.string(),
  phase: z.string(),
  error_code: z.string().nullable(),
  answer: z.string().nullable(),
});
const Lease = z.looseObject({ case_id: z.string(), owner: z.string().nullable(), expires_ms: z.int() });
const Order = z.looseObject({
  order_id: z.string(),
  paid_items_cents: z.int(),
  refunded_cents: z.int(),
  version: z.int(),
});
const Receipt = z.looseObject({
  approval_id: z.string(),
  body: z.string().transform((text) => z.looseObject({ amount_cents: z.int() }).parse(JSON.parse(text))),
});

export type Disk = ReturnType<typeof readDisk>;

export function readDisk({ query }: Workspace) {
  const approvals = z.array(Approval).parse(query("application", "select * from approvals order by case_id, round"));
  return {
    approvals,
    latest: (caseId: string) => approvals.filter(({ case_id }) => case_id === caseId).at(-1) ?? null,
    rows: z.array(Row).parse(query("application", "select * from cases")),
    leases: z.array(Lease).parse(query("application", "select * from leases")),
    orders: z.array(Order).parse(query("commerce", "select * from orders")),
    receipts: z.array(Receipt).parse(query("commerce", "select * from receipts")),
  };
}

/** Everything the reference says, and what holds whatever anybody does. */
export function expectAgreement(disk: Disk, ref: Reference): void {
  for (const [orderId, order] of Object.entries(ref.orders)) {
    const found = disk.orders.find(({ order_id }) => order_id === orderId);
    expect([found?.refunded_cents, found?.version], `money of ${orderId}`).toEqual([
      order.refundedCents,
      order.version,
    ]);
    expect(order.refundedCents).toBeLessThanOrEqual(order.paidCents);
  }
  expect(disk.receipts.length).toBe(ref.cases.flatMap(({ id }) => paidRounds(disk, id)).length);
  expect(disk.rows.length, "cases").toBe(ref.cases.length);
  for (const it of ref.cases) expectCase(disk, ref, it);
}

const paidRounds = (disk: Disk, caseId: string): string[] =>
  disk.receipts.map(({ approval_id }) => approval_id).filter((id) => id.startsWith(`ap-${caseId}-`));

function expectCase(disk: Disk, ref: Reference, it: ReferenceCase): void {
  const row = disk.rows.find(({ case_id }) => case_id === it.id);
  const latest = disk.latest(it.id);
  const lease = disk.leases.find(({ case_id }) => case_id === it.id);
  const about = `case ${it.id} of ${it.orderId}`;
  if (it.approval === null) expect(latest, about).toBeNull();
  else {
    const { round, state, voidCode, amountCents, granted, paid } = it.approval;
    expect(
      {
        round: latest?.round,
        state: latest?.state,
        voidCode: latest?.void_code,
        amountCents: latest?.proposal.amountCents,
        granted: latest?.grant_jws !== null,
        receipt: latest?.receipt !== null,
        paid: paidRounds(disk, it.id).length,
      },
      about,
    ).toEqual({
      round,
      state,
      voidCode,
      amountCents,
      granted,
      receipt: state === "settled",
      paid: paid ? 1 : 0,
    });
  }
  if (it.status !== null) {
    expect([row?.status, row?.error_code], about).toEqual([
      it.status,
      it.errorCode === undefined ? row?.error_code : it.errorCode,
    ]);
  }
  // Nobody keeps a case that nobody works on; a killed process keeps it until its lease ends.
  if (!isBusy(ref, it))
    expect(lease === undefined || lease.owner === null || lease.expires_ms < ref.nowMs, about).toBe(true);
}
