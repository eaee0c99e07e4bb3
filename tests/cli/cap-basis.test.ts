import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { yearUpTo } from "../../src/domain/clock.js";
import { faultyCommerce } from "../support/fault-commerce.js";
import { dataWithoutFees } from "../support/fee-data.js";
import { createWorkspace, jsonOf, type Workspace, workspaceAt } from "../support/workspace.js";

const basis = (workspace: Workspace, profile: string) => workspace.cli(["--json", "--profile", profile, "cap-basis"]);

test("each customer is shown the delivery fees of their own delivered orders, from the process bound to them", async () => {
  const workspace = createWorkspace();
  const commerce = faultyCommerce();
  const alice = await workspace.cli(["--json", "cap-basis"], { env: commerce.env });
  expect(alice.code, alice.stderr).toBe(0);
  const period = { currency: "CNY", from: "2025-09-13", to: "2026-09-12" };
  expect(jsonOf(alice)).toEqual({ customer: "alice", ...period, deliveredOrders: 9, deliveryFeesCents: 4_800 });
  expect(commerce.started().map(({ args }) => args[args.indexOf("--profile") + 1])).toEqual(["alice"]);
  for (const customer of ["bob", "lin"]) {
    const run = await basis(workspace, customer);
    expect(jsonOf(run)).toEqual({ customer, ...period, deliveredOrders: 4, deliveryFeesCents: 2_400 });
  }
});

test.each(["chen", "mei"])("%s, a reviewer, has no fees of their own and sees nobody else's", async (profile) => {
  const run = await basis(createWorkspace(), profile);
  expect(run.code).toBe(1);
  expect(jsonOf(run)).toMatchObject({ error: { code: "customer_role_required", category: "permission" } });
});

test("a fee counts on the day of delivery, within the twelve months up to the business date", async () => {
  const workspace = createWorkspace();
  const deliver = (orderId: string, day: string): void =>
    workspace.tamper("commerce", "update orders set delivered_on = ? where order_id = ?", day, orderId);
  deliver("QH-1001", "2025-09-12");
  deliver("QH-1004", "2025-09-13");
  deliver("QH-1009", "2026-09-12");
  deliver("QH-1010", "2026-09-13");
  expect(jsonOf(await basis(workspace, "alice"))).toMatchObject({ deliveredOrders: 7, deliveryFeesCents: 2_400 });
});

test.each([
  ["2026-09-12", "2025-09-13"],
  ["2026-12-31", "2026-01-01"],
  ["2029-02-28", "2028-02-29"],
  ["2028-02-29", "2027-03-01"],
])("the twelve months up to %s begin on %s", (to, from) => {
  expect(yearUpTo(to)).toEqual({ from, to });
});

test("no fees is a known zero, in words and in JSON", async () => {
  const data = dataWithoutFees("bob");
  const stateDir = mkdtempSync(join(tmpdir(), "aftersales-test-"));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  const workspace = workspaceAt(stateDir);
  expect((await workspace.cli(["--data", data, "init"])).code).toBe(0);
  const run = await workspace.cli(["--data", data, "--profile", "bob", "cap-basis"]);
  expect(run.code).toBe(0);
  expect(run.stdout).toContain("no delivery fees from 2025-09-13 to 2026-09-12: CNY 0.00");
  const json = jsonOf(await workspace.cli(["--data", data, "--json", "--profile", "bob", "cap-basis"]));
  expect(json).toMatchObject({ deliveredOrders: 4, deliveryFeesCents: 0 });
});

test.each([
  ["gone", (file: string) => rmSync(file), "commerce_not_started"],
  ["no database any more", (file: string) => writeFileSync(file, "x".repeat(8_192)), "commerce_not_started"],
])("a store that is %s gives no number but an error that may pass", async (_what, damage, code) => {
  const workspace = createWorkspace();
  damage(join(workspace.stateDir, "commerce", "commerce.db"));
  const run = await basis(workspace, "alice");
  expect(run.code).toBe(1);
  expect(jsonOf(run)).toEqual({ error: { code, category: "transient", message: expect.stringContaining("unknown") } });
});

test("orders that cannot be read while the process runs give no number either", async () => {
  const workspace = createWorkspace();
  workspace.tamper("commerce", "alter table orders rename to elsewhere");
  const run = await basis(workspace, "alice");
  expect(run.code).toBe(1);
  expect(jsonOf(run)).toMatchObject({ error: { code: "service_failed", category: "internal" } });
  expect(run.stdout).not.toContain("deliveryFeesCents");
  expect(run.stdout + run.stderr).not.toMatch(/elsewhere|no such table/);
});
