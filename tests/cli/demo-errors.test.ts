import { expect, test } from "vitest";
import { z } from "zod";
import { isErrorCode, toolError } from "../../src/domain/errors.js";
import { dataWithoutFees } from "../support/fee-data.js";
import { CLI, jsonOf, type Run, runProcess } from "../support/workspace.js";

const Row = z.looseObject({
  error: z.looseObject({ code: z.string() }).nullable(),
  found: z.string().nullable(),
});
const CapRow = z.looseObject({ ...Row.shape, deliveryFeesCents: z.int().nullable() });
const Tables = z.strictObject({
  categories: z.array(Row),
  access: z.array(Row),
  capBasis: z.array(CapRow),
});

const demo = (args: readonly string[] = []): Promise<Run> =>
  runProcess(process.execPath, [CLI, "--json", ...args, "demo-errors"]);

const codes = (rows: readonly { error: { code: string } | null }[]) => rows.map(({ error }) => error?.code ?? null);

test("each kind of trouble, made in real processes, comes to the host with its own category and code", async () => {
  const run = await demo();
  expect(run.code, run.stderr).toBe(0);
  const { categories, access, capBasis } = Tables.parse(jsonOf(run));
  expect(codes(categories)).toEqual(["store_unreadable", "invalid_arguments", "idempotency_conflict", "grant_invalid"]);
  expect(codes(access)).toEqual([null, "store_unreadable", "commerce_not_started", "order_not_accessible"]);
  expect(JSON.parse(access[0]?.found ?? "")).toEqual({ order_id: "QH-1001", invoice: null });
  expect(codes(capBasis)).toEqual([null, null, "store_unreadable", "commerce_not_started"]);
  expect(capBasis.map(({ deliveryFeesCents }) => deliveryFeesCents)).toEqual([4_800, 0, null, null]);
  for (const { error } of [...categories, ...access, ...capBasis]) {
    if (error !== null) expect(error).toEqual(isErrorCode(error.code) ? toolError(error.code) : "our own code");
  }
});

test("the figures are those of the data and the customer it is run with", async () => {
  const run = await demo(["--data", dataWithoutFees("alice"), "--profile", "alice"]);
  const ofBob = await demo(["--profile", "bob"]);
  expect(Tables.parse(jsonOf(run)).capBasis.map(({ deliveryFeesCents }) => deliveryFeesCents)).toEqual([
    0,
    0,
    null,
    null,
  ]);
  const { capBasis, access } = Tables.parse(jsonOf(ofBob));
  expect(capBasis[0]?.deliveryFeesCents).toBe(2_400);
  expect(access[0]?.found).toContain("QH-2001");
});

test("a reviewer, who has no orders, is told so", async () => {
  const run = await demo(["--profile", "chen"]);
  expect(run.code).toBe(1);
  expect(jsonOf(run)).toMatchObject({ error: { code: "demo_failed" } });
});
