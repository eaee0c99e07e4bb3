import { expect, test } from "vitest";
import { readBudget } from "../../src/adapters/budget-ledger.js";
import { LIMITS } from "../../src/domain/limits.js";
import { createLedger, openCase } from "../support/ledger.js";
import { CASE_ID, OTHER_CASE_ID } from "../support/ledger-values.js";

const KINDS = [
  ["model", LIMITS.modelRequestsPerCase, 20],
  ["tool", LIMITS.toolRequestsPerCase, 24],
] as const;

test.each(KINDS)("a case has its %s requests and not one more", async (kind, limit, promised) => {
  expect(limit).toBe(promised);
  const ledger = await createLedger();
  const stores = await ledger.open();
  await openCase(stores);
  await stores.leases.hold(CASE_ID, async () => {
    for (let count = 1; count <= limit; count += 1) expect(await stores.budget.charge(CASE_ID, kind, 1)).toBe(1);
    expect(await stores.budget.charge(CASE_ID, kind, 1)).toBe(0);
  });
  expect(await readBudget(stores.db, CASE_ID)).toEqual({ model: 0, tool: 0, [kind]: limit });
});

test("a turn that asks for more than is left is granted the rest", async () => {
  const stores = await (await createLedger()).open();
  await openCase(stores);
  await stores.leases.hold(CASE_ID, async () => {
    expect(await stores.budget.charge(CASE_ID, "tool", 22)).toBe(22);
    expect(await stores.budget.charge(CASE_ID, "tool", 5)).toBe(2);
    expect(await stores.budget.charge(CASE_ID, "tool", 5)).toBe(0);
    expect(await stores.budget.charge(CASE_ID, "tool", 0)).toBe(0);
  });
});

test("what was spent is still spent after the process has ended, and in another process", async () => {
  const ledger = await createLedger();
  const first = await ledger.open();
  await openCase(first);
  await first.leases.hold(CASE_ID, () => first.budget.charge(CASE_ID, "model", 19));
  const second = await ledger.open();
  expect(await second.leases.hold(CASE_ID, () => second.budget.charge(CASE_ID, "model", 5))).toBe(1);
});

test("charges that arrive together are counted one after the other", async () => {
  const stores = await (await createLedger()).open();
  await openCase(stores);
  const granted = await stores.leases.hold(CASE_ID, () =>
    Promise.all(Array.from({ length: 10 }, () => stores.budget.charge(CASE_ID, "tool", 4))),
  );
  expect(granted.reduce((sum, count) => sum + count, 0)).toBe(24);
});

test("cases do not share a budget, and a case without one has none", async () => {
  const stores = await (await createLedger()).open();
  await openCase(stores);
  await openCase(stores, OTHER_CASE_ID);
  await stores.leases.hold(CASE_ID, () => stores.budget.charge(CASE_ID, "tool", 24));
  expect(await stores.leases.hold(OTHER_CASE_ID, () => stores.budget.charge(OTHER_CASE_ID, "tool", 1))).toBe(1);
  await stores.db.deleteFrom("budgets").where("case_id", "=", CASE_ID).execute();
  await expect(stores.leases.hold(CASE_ID, () => stores.budget.charge(CASE_ID, "tool", 1))).rejects.toMatchObject({
    code: "case_not_accessible",
  });
});

test.each(["model_used = 21", "model_used = -1", "tool_used = 25", "tool_used = -1"])(
  "the database itself refuses %s",
  async (change) => {
    const ledger = await createLedger();
    await openCase(await ledger.open());
    expect(() => ledger.run("application", `update budgets set ${change}`)).toThrow("CHECK");
  },
);
