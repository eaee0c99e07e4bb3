import { expect, test, vi } from "vitest";
import { writeTransactions } from "../../bench/wal-commits.js";
import { LIMITS } from "../../src/domain/limits.js";
import { createLedger, type Ledger, openCase, turnOfTheLoop } from "../support/ledger.js";
import { CASE_ID, OTHER_CASE_ID } from "../support/ledger-values.js";

const STEP = [
  { phase: "investigate", status: "ok", tool: "get_order" },
  { phase: "investigate", status: "model_replied" },
];

function eventsOnDisk(ledger: Ledger, caseId: string = CASE_ID): unknown[] {
  return ledger
    .query("application", "select status from events where case_id = ? order by number", caseId)
    .map(({ status }) => status);
}

test("a step's events cost no transaction of their own: the next charge takes them to disk", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  await openCase(stores);
  await stores.leases.hold(CASE_ID, async () => {
    const before = writeTransactions(ledger.paths.applicationDb);
    await stores.events.append(CASE_ID, STEP);
    expect(eventsOnDisk(ledger)).toEqual(["opened"]);
    ledger.clock.advance(1_000);
    await stores.budget.charge(CASE_ID, "model", 1);
    expect(eventsOnDisk(ledger)).toEqual(["opened", "ok", "model_replied"]);
    expect(writeTransactions(ledger.paths.applicationDb) - before).toBe(1);
  });
  expect(eventsOnDisk(ledger)).toHaveLength(3);
  const times = ledger.query("application", "select at from events where status in ('opened', 'ok')");
  expect(times[1]).toEqual(times[0]);
});

test("events that nothing took along are written when the case is let go", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  await openCase(stores);
  await stores.leases.hold(CASE_ID, () => stores.events.append(CASE_ID, STEP));
  expect(eventsOnDisk(ledger)).toEqual(["opened", "ok", "model_replied"]);
});

test("while a model takes its time, events are written with the next renewal of the lease", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  await openCase(stores);
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    await stores.leases.hold(CASE_ID, async () => {
      await stores.events.append(CASE_ID, STEP);
      vi.advanceTimersByTime(LIMITS.leaseRenewalMs);
      await turnOfTheLoop();
      expect(eventsOnDisk(ledger)).toEqual(["opened", "ok", "model_replied"]);
    });
  } finally {
    vi.useRealTimers();
  }
  expect(eventsOnDisk(ledger)).toHaveLength(3);
});

test("events of a write that was undone go with the next one, once", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  await openCase(stores);
  ledger.run("application", "create trigger no_change before update on cases begin select raise(abort, 'no'); end");
  await stores.leases.hold(CASE_ID, async () => {
    await stores.events.append(CASE_ID, STEP);
    await expect(stores.cases.update(CASE_ID, { phase: "review" })).rejects.toThrow("no");
    expect(eventsOnDisk(ledger)).toEqual(["opened"]);
    await stores.budget.charge(CASE_ID, "model", 1);
  });
  expect(eventsOnDisk(ledger)).toEqual(["opened", "ok", "model_replied"]);
});

test("writes of one turn of the event loop share a commit, and one that fails is undone alone", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  for (const caseId of [CASE_ID, OTHER_CASE_ID]) await openCase(stores, caseId);
  ledger.run("application", "create trigger no_note before insert on notes begin select raise(abort, 'no'); end");
  await stores.leases.hold(CASE_ID, () =>
    stores.leases.hold(OTHER_CASE_ID, async () => {
      const before = writeTransactions(ledger.paths.applicationDb);
      const settled = await Promise.allSettled([
        stores.budget.charge(CASE_ID, "model", 2),
        stores.notes.add(CASE_ID, "a note"),
        stores.budget.charge(OTHER_CASE_ID, "tool", 3),
      ]);
      expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(writeTransactions(ledger.paths.applicationDb) - before).toBe(1);
    }),
  );
  const used = ledger.query("application", "select model_used, tool_used from budgets order by model_used");
  expect(used).toEqual([
    { model_used: 0, tool_used: 3 },
    { model_used: 2, tool_used: 0 },
  ]);
});

test("nothing that shares a commit is taken for written when the commit fails", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  for (const caseId of [CASE_ID, OTHER_CASE_ID]) await openCase(stores, caseId);
  // A deferred reference to nothing is only noticed by the commit itself.
  ledger.run("application", "create table known (id integer primary key)");
  ledger.run("application", "create table broken (id references known (id) deferrable initially deferred)");
  ledger.run("application", "create trigger breaks after update on budgets begin insert into broken values (1); end");
  await stores.leases.hold(CASE_ID, () =>
    stores.leases.hold(OTHER_CASE_ID, async () => {
      await stores.events.append(OTHER_CASE_ID, STEP);
      const settled = await Promise.allSettled([
        stores.budget.charge(CASE_ID, "model", 1),
        stores.cases.update(OTHER_CASE_ID, { phase: "review" }),
      ]);
      expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      expect(ledger.query("application", "select distinct phase from cases")).toEqual([{ phase: "plan" }]);
      expect(eventsOnDisk(ledger, OTHER_CASE_ID)).toEqual(["opened"]);
      ledger.run("application", "drop trigger breaks");
      await stores.cases.update(OTHER_CASE_ID, { phase: "review" });
    }),
  );
  expect(ledger.query("application", "select model_used from budgets where case_id = ?", CASE_ID)).toEqual([
    { model_used: 0 },
  ]);
  expect(eventsOnDisk(ledger, OTHER_CASE_ID)).toEqual(["opened", "ok", "model_replied"]);
});
