import { afterEach, expect, test, vi } from "vitest";
import type { CaseLeases } from "../../src/adapters/case-lease.js";
import { toInstant } from "../../src/domain/clock.js";
import { LIMITS } from "../../src/domain/limits.js";
import { createLedger, openCase, turnOfTheLoop } from "../support/ledger.js";
import { CASE_ID, NOW_MS, OTHER_CASE_ID } from "../support/ledger-values.js";

afterEach(() => {
  vi.useRealTimers();
});

/** Holds a case until `release` is called; `held` resolves once it is claimed. */
function holdOpen(leases: CaseLeases, caseId = CASE_ID) {
  const { promise: end, resolve: release } = withResolvers<void>();
  const { promise: claimed, resolve: claim } = withResolvers<AbortSignal>();
  const done = leases.hold(caseId, async (signal) => {
    claim(signal);
    await end;
  });
  done.catch(() => undefined);
  return { held: Promise.race([claimed, done.then(() => Promise.reject(new Error("never held")))]), release, done };
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test("a second process is told that the case is busy, and until when", async () => {
  const ledger = await createLedger();
  const [first, second] = [await ledger.open(), await ledger.open()];
  const holding = holdOpen(first.leases);
  await holding.held;
  await expect(second.leases.hold(CASE_ID, async () => undefined)).rejects.toMatchObject({
    code: "case_busy",
    details: { until: toInstant(NOW_MS + LIMITS.leaseMs) },
  });
  await expect(second.leases.hold(OTHER_CASE_ID, async () => "free")).resolves.toBe("free");
  holding.release();
  await holding.done;
  await expect(second.leases.hold(CASE_ID, async () => "mine")).resolves.toBe("mine");
});

test("uses within one process share one hold, and the last one lets go", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  const holding = [holdOpen(stores.leases), holdOpen(stores.leases)];
  await Promise.all(holding.map(({ held }) => held));
  const epoch = stores.leases.epochOf(CASE_ID);
  await stores.leases.hold(CASE_ID, async () => expect(stores.leases.epochOf(CASE_ID)).toBe(epoch));
  holding[0]?.release();
  await holding[0]?.done;
  expect(stores.leases.epochOf(CASE_ID)).toBe(epoch);
  holding[1]?.release();
  await holding[1]?.done;
  expect(() => stores.leases.epochOf(CASE_ID)).toThrow(expect.objectContaining({ code: "lease_required" }));
});

test("a use that begins in the very moment the last one ends still works under a lease", async () => {
  const stores = await (await createLedger()).open();
  for (let gap = 0; gap < 40; gap += 1) {
    const ending = holdOpen(stores.leases);
    await ending.held;
    ending.release();
    for (let turn = 0; turn < gap; turn += 1) await Promise.resolve();
    await expect(stores.leases.hold(CASE_ID, async () => stores.leases.epochOf(CASE_ID))).resolves.toBeGreaterThan(0);
    await ending.done;
  }
});

test("every claim raises the epoch in both databases", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  for (const epoch of [1, 2, 3]) {
    await stores.leases.hold(CASE_ID, async () => expect(stores.leases.epochOf(CASE_ID)).toBe(epoch));
    expect(ledger.query("checkpoints", "select epoch from fence where thread_id = ?", CASE_ID)).toEqual([{ epoch }]);
  }
});

test("the case is free again after work that threw", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  await expect(stores.leases.hold(CASE_ID, () => Promise.reject(new Error("boom")))).rejects.toThrow("boom");
  expect(ledger.query("application", "select owner, expires_ms from leases")).toEqual([{ owner: null, expires_ms: 0 }]);
  expect(() => stores.leases.epochOf(CASE_ID)).toThrow(expect.objectContaining({ code: "lease_required" }));
});

test("a lease that nobody renewed can be claimed after 30 seconds, and not before", async () => {
  const ledger = await createLedger();
  const [first, second] = [await ledger.open(), await ledger.open()];
  const holding = holdOpen(first.leases);
  await holding.held;
  ledger.clock.advance(LIMITS.leaseMs);
  await expect(second.leases.hold(CASE_ID, async () => undefined)).rejects.toMatchObject({ code: "case_busy" });
  ledger.clock.advance(1);
  await expect(second.leases.hold(CASE_ID, async () => "taken")).resolves.toBe("taken");
  holding.release();
  await holding.done;
});

test("a holder past its expiry stops by itself, even if nobody took over", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  await openCase(stores);
  await stores.leases.hold(CASE_ID, async () => {
    ledger.clock.advance(LIMITS.leaseMs + 1);
    await expect(stores.cases.update(CASE_ID, { phase: "review" })).rejects.toMatchObject({ code: "lease_lost" });
    await expect(stores.budget.charge(CASE_ID, "model", 1)).rejects.toMatchObject({ code: "lease_lost" });
  });
  expect(ledger.query("application", "select phase from cases")).toEqual([{ phase: "plan" }]);
});

test("a lease is renewed every five seconds while work goes on", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const holding = holdOpen(stores.leases);
  await holding.held;
  for (let tick = 1; tick <= 12; tick += 1) {
    ledger.clock.advance(LIMITS.leaseRenewalMs);
    vi.advanceTimersByTime(LIMITS.leaseRenewalMs);
    await turnOfTheLoop();
    const expected = NOW_MS + tick * LIMITS.leaseRenewalMs + LIMITS.leaseMs;
    expect(ledger.query("application", "select expires_ms from leases")).toEqual([{ expires_ms: expected }]);
  }
  expect(stores.leases.epochOf(CASE_ID)).toBe(1);
  holding.release();
  await holding.done;
  expect(vi.getTimerCount()).toBe(0);
});

test("a renewal that failed once does not end the work", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const holding = holdOpen(stores.leases);
  const signal = await holding.held;
  ledger.run(
    "application",
    "create trigger no_renewal before update on leases begin select raise(abort, 'locked'); end",
  );
  ledger.clock.advance(LIMITS.leaseRenewalMs);
  vi.advanceTimersByTime(LIMITS.leaseRenewalMs);
  await turnOfTheLoop();
  expect(signal.aborted).toBe(false);
  expect(stores.leases.epochOf(CASE_ID)).toBe(1);
  ledger.run("application", "drop trigger no_renewal");
  ledger.clock.advance(LIMITS.leaseRenewalMs);
  vi.advanceTimersByTime(LIMITS.leaseRenewalMs);
  await turnOfTheLoop();
  expect(ledger.query("application", "select expires_ms from leases")).toEqual([
    { expires_ms: NOW_MS + 2 * LIMITS.leaseRenewalMs + LIMITS.leaseMs },
  ]);
  holding.release();
  await holding.done;
});

test("renewals that fail until the lease has expired abort the work", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const holding = holdOpen(stores.leases);
  const signal = await holding.held;
  ledger.run(
    "application",
    "create trigger no_renewal before update on leases begin select raise(abort, 'locked'); end",
  );
  ledger.clock.advance(LIMITS.leaseMs + 1);
  vi.advanceTimersByTime(LIMITS.leaseRenewalMs);
  await turnOfTheLoop();
  expect(signal.aborted).toBe(true);
  expect(signal.reason).toMatchObject({ code: "lease_lost" });
  ledger.run("application", "drop trigger no_renewal");
  holding.release();
  await holding.done;
});

test("a holder that was taken over notices at its next renewal and writes nothing to either database", async () => {
  const ledger = await createLedger();
  const [first, second] = [await ledger.open(), await ledger.open()];
  await openCase(first);
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const old = holdOpen(first.leases);
  const signal = await old.held;
  ledger.clock.advance(LIMITS.leaseMs + 1);
  const next = holdOpen(second.leases);
  await next.held;
  // The clock of the old holder may be wrong: what counts is the epoch inside each statement.
  ledger.clock.advance(-LIMITS.leaseMs);
  await expect(first.cases.update(CASE_ID, { phase: "review" })).rejects.toMatchObject({ code: "lease_lost" });
  await first.events.append(CASE_ID, [{ phase: "x", status: "y" }]);
  await expect(first.budget.charge(CASE_ID, "tool", 1)).rejects.toMatchObject({ code: "lease_lost" });
  await expect(first.notes.add(CASE_ID, "note")).rejects.toMatchObject({ code: "lease_lost" });
  vi.advanceTimersByTime(LIMITS.leaseRenewalMs);
  await turnOfTheLoop();
  expect(signal.aborted).toBe(true);
  await second.cases.update(CASE_ID, { phase: "deliver" });
  old.release();
  await old.done;
  expect(second.leases.epochOf(CASE_ID)).toBe(3);
  expect(ledger.query("application", "select phase from cases")).toEqual([{ phase: "deliver" }]);
  expect(ledger.query("application", "select owner from leases")).not.toEqual([{ owner: null }]);
  next.release();
  await next.done;
  expect(ledger.query("application", "select status from events where phase = 'x'")).toEqual([]);
});

test("nothing is written for a case that is not held", async () => {
  const stores = await (await createLedger()).open();
  await openCase(stores);
  const code = { code: "lease_required" };
  await expect(stores.cases.update(CASE_ID, { phase: "review" })).rejects.toMatchObject(code);
  await expect(stores.budget.charge(CASE_ID, "model", 1)).rejects.toMatchObject(code);
  await expect(stores.events.append(CASE_ID, [{ phase: "x", status: "y" }])).rejects.toMatchObject(code);
  await expect(stores.notes.add(CASE_ID, "note")).rejects.toMatchObject(code);
});

test("a process that ends lets go of everything it holds", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  const holding = [holdOpen(stores.leases), holdOpen(stores.leases, OTHER_CASE_ID)];
  await Promise.all(holding.map(({ held }) => held));
  await stores.leases.releaseAll();
  expect(ledger.query("application", "select owner from leases")).toEqual([{ owner: null }, { owner: null }]);
  for (const { release } of holding) release();
});
