import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { createCommerceBridge, toolHash } from "../../src/adapters/commerce-bridge.js";
import { COMMERCE_PINS } from "../../src/adapters/commerce-pins.js";
import { createCommerceReads } from "../../src/adapters/commerce-reads.js";
import { createSettlement, createTickets } from "../../src/adapters/commerce-writes.js";
import { COMMERCE_READ_TOOLS } from "../../src/domain/commerce-wire.js";
import { COMMERCE_ERRORS } from "../../src/domain/error-codes/commerce.js";
import { AftersalesError, categoryOf, isErrorCode, toolError } from "../../src/domain/errors.js";
import { commerceArguments } from "../support/commerce-process.js";
import { openShop } from "../support/commerce-shop.js";
import { type Change, standIn } from "../support/ledger-bridge.js";
import { ORDER_ID } from "../support/ledger-values.js";
import { ROOT } from "../support/workspace.js";

const OPTIONS = { remainingMs: () => 10_000 };
const order = (kind: string) => ({ order_id: kind });

test("an order comes through with its fields", async () => {
  const { bridge } = standIn();
  expect(await createCommerceReads(bridge).call("get_order", order("ok"), OPTIONS)).toMatchObject({
    kind: "ok",
    data: { order_id: "QH-1001", paid_items_cents: 12_900 },
  });
});

test("a tool too many never reaches a model, and cannot be called through the reads", async () => {
  const { bridge, journal } = standIn("extra");
  const reads = createCommerceReads(bridge);
  const names = (await reads.specs()).map(({ name }) => name);
  expect(names.sort()).toEqual([...COMMERCE_READ_TOOLS].sort());
  expect(journal().filter((line) => line.startsWith("call"))).toEqual([]);
});

test.each<[Change, string]>([
  ["missing", "get_order is missing"],
  ["description", "get_order differs"],
  ["schema", "get_order differs"],
  ["annotations", "get_order differs"],
])("a service with another %s stops everything before the first call", async (change, detail) => {
  const { bridge, journal } = standIn(change);
  const reads = createCommerceReads(bridge);
  await expect(bridge.tools()).rejects.toMatchObject({ code: "mcp_contract_changed", details: { detail } });
  await expect(reads.specs()).rejects.toMatchObject({ code: "mcp_contract_changed" });
  await expect(bridge.call("execute_refund", {}, OPTIONS)).rejects.toMatchObject({ code: "mcp_contract_changed" });
  expect(journal().filter((line) => line.startsWith("call"))).toEqual([]);
});

test.each([...Object.keys(COMMERCE_ERRORS), "invalid_arguments"])(
  "%s arrives with its category and our own sentence",
  async (code) => {
    const { bridge } = standIn();
    if (!isErrorCode(code)) throw new Error(code);
    const sent = order(`${categoryOf(code)}:${code}`);
    const outcome = await createCommerceReads(bridge).call("get_order", sent, OPTIONS);
    expect(outcome).toEqual({ kind: "error", error: toolError(code) });
    expect(await bridge.call("execute_refund", sent, OPTIONS)).toEqual(outcome);
    expect(outcome.kind === "error" && outcome.error.category).toBe(categoryOf(code));
  },
);

test.each([
  ["unknown_code", "service_failed"],
  ["no_envelope", "service_failed"],
  ["own_words", "order_not_accessible"],
  ["throws", "invalid_commerce_result"],
  ["too_many_fields", "invalid_commerce_result"],
  ["wrong_type", "invalid_commerce_result"],
  ["only_text", "invalid_commerce_result"],
  ["no_content", "invalid_commerce_result"],
  ["too_large", "tool_result_too_large"],
  ["dies", "commerce_unavailable"],
] as const)("an answer of the kind %s becomes %s, in our words alone", async (kind, code) => {
  const { bridge } = standIn();
  const outcome = await createCommerceReads(bridge).call("get_order", order(kind), OPTIONS);
  expect(outcome).toEqual({ kind: "error", error: toolError(code) });
});

test("after the process died, five calls at once start one new process and are answered", async () => {
  const { bridge, journal } = standIn();
  expect(await bridge.call("get_order", order("dies"), OPTIONS)).toEqual({ kind: "lost" });
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => bridge.call("get_order", order("ok"), OPTIONS)));
  expect(outcomes.map(({ kind }) => kind)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
  expect(journal().filter((line) => line.startsWith("start"))).toHaveLength(2);
});

test("a process that was killed between two calls is replaced", async () => {
  const { bridge, noted, journal } = standIn();
  await bridge.call("get_order", order("ok"), OPTIONS);
  const pending = bridge.call("get_order", order("never"), OPTIONS);
  await noted("call get_order never");
  process.kill(Number((await noted("start ")).split(" ")[1]), "SIGKILL");
  expect(await pending).toEqual({ kind: "lost" });
  expect((await bridge.call("get_order", order("ok"), OPTIONS)).kind).toBe("ok");
  expect(journal().filter((line) => line.startsWith("start"))).toHaveLength(2);
});

test("an answer that does not come in time is a timeout: for a read unknown, for a payment unknown", async () => {
  const { bridge } = standIn();
  expect(await bridge.call("get_order", order("never"), { remainingMs: () => 50 })).toEqual({ kind: "timeout" });
  expect(await createCommerceReads(bridge).call("get_order", order("never"), { remainingMs: () => 50 })).toEqual({
    kind: "error",
    error: toolError("tool_timeout"),
  });
});

test("a few and a half milliseconds are time enough for an answer that is there", async () => {
  const { bridge } = standIn();
  const reads = createCommerceReads(bridge);
  expect((await reads.call("get_order", order("ok"), { remainingMs: () => 9_999.5 })).kind).toBe("ok");
});

test("a call whose time went by while the service started is a timeout and is never sent", async () => {
  const { bridge, journal } = standIn();
  const left = [0.4, 0];
  expect(await bridge.call("get_order", order("ok"), { remainingMs: () => 0 })).toEqual({ kind: "timeout" });
  for (const ms of left) {
    const outcome = await createCommerceReads(bridge).call("get_order", order("ok"), { remainingMs: () => ms });
    expect(outcome).toEqual({ kind: "error", error: toolError("tool_timeout") });
  }
  expect(journal().filter((line) => line.startsWith("call"))).toEqual([]);
});

test("a call that was given up while the service started is never sent", async () => {
  const { bridge, noted, journal } = standIn();
  const stop = new AbortController();
  const pending = bridge.call("get_order", order("ok"), { ...OPTIONS, signal: stop.signal });
  await noted("start ");
  stop.abort();
  expect(await pending).toEqual({ kind: "cancelled" });
  expect(journal().filter((line) => line.startsWith("call"))).toEqual([]);
});

test("a cancelled call is cancelled on both sides, and is no answer for a model", async () => {
  const { bridge, noted } = standIn();
  const stop = new AbortController();
  const pending = bridge.call("get_order", order("never"), { ...OPTIONS, signal: stop.signal });
  await noted("call get_order never");
  stop.abort(new AftersalesError("cancelled"));
  expect(await pending).toEqual({ kind: "cancelled" });
  await noted("cancelled never");
  expect(await bridge.call("get_order", order("ok"), { ...OPTIONS, signal: stop.signal })).toEqual({
    kind: "cancelled",
  });
});

test("twenty calls on one signal leave no listener behind", async () => {
  const { bridge } = standIn();
  const warnings: string[] = [];
  const listen = (warning: Error): void => void warnings.push(warning.name);
  process.on("warning", listen);
  onTestFinished(() => void process.off("warning", listen));
  const { signal } = new AbortController();
  const reads = createCommerceReads(bridge);
  for (let count = 0; count < 20; count += 1) {
    expect((await reads.call("get_order", order("ok"), { ...OPTIONS, signal })).kind).toBe("ok");
  }
  await new Promise((done) => setImmediate(done));
  expect(warnings).toEqual([]);
});

test("a program that is not there is unavailable, and so is one that says nothing sensible", async () => {
  for (const command of ["/nonexistent/commerce", "true"]) {
    const bridge = createCommerceBridge({ process: { command, args: [] }, pins: new Map() });
    await expect(bridge.tools()).rejects.toMatchObject({ code: "commerce_unavailable" });
    await bridge.close();
  }
});

test.each([
  ["ok", { kind: "unknown", code: "invalid_commerce_result" }],
  ["only_text", { kind: "unknown", code: "outcome_unknown" }],
  ["dies", { kind: "unknown", code: "outcome_unknown" }],
  ["throws", { kind: "unknown", code: "outcome_unknown" }],
  ["service_failed", { kind: "unknown", code: "outcome_unknown" }],
  ["store_unreadable", { kind: "unknown", code: "outcome_unknown" }],
  ["quote_changed", { kind: "refused", error: toolError("quote_changed") }],
  ["order_not_accessible", { kind: "refused", error: toolError("order_not_accessible") }],
])("a payment answered with %s is never believed more than it says", async (kind, outcome) => {
  const sent = isErrorCode(kind) ? `${categoryOf(kind)}:${kind}` : kind;
  const { bridge } = standIn();
  const asked = {
    ...bridge,
    call: (...[name, , options]: Parameters<typeof bridge.call>) => bridge.call(name, order(sent), options),
  };
  expect(await createSettlement(asked).execute("ap-1", "grant", OPTIONS)).toEqual(outcome);
});

test("a payment that cannot even be asked for is unknown; a changed contract stops", async () => {
  const unreachable = createCommerceBridge({ process: { command: "true", args: [] }, pins: new Map() });
  expect(await createSettlement(unreachable).execute("ap-1", "grant", OPTIONS)).toEqual({
    kind: "unknown",
    code: "commerce_unavailable",
  });
  const { bridge } = standIn("description");
  await expect(createSettlement(bridge).execute("ap-1", "grant", OPTIONS)).rejects.toMatchObject({
    code: "mcp_contract_changed",
  });
});

test("a ticket whose confirmation is garbled is not reported as opened", async () => {
  const { bridge } = standIn();
  const asked = {
    ...bridge,
    call: (...[name, , options]: Parameters<typeof bridge.call>) => bridge.call(name, order("ok"), options),
  };
  expect(await createTickets(asked).create({ orderId: ORDER_ID, summary: "s", key: "k" }, OPTIONS)).toEqual({
    kind: "error",
    error: toolError("outcome_unknown"),
  });
});

test("the commerce process offers exactly what src/adapters/commerce-pins.ts pins: after an intended change, copy the hashes from this failure", async () => {
  const shop = await openShop();
  onTestFinished(() => shop.remove());
  const args = commerceArguments({
    database: shop.database,
    data: shop.dataDir,
    publicKey: shop.keys.publicKeyText,
    profile: "alice",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [join(ROOT, "dist/commerce.mjs"), ...args] }),
  );
  onTestFinished(() => client.close());
  const { tools: offered } = await client.listTools();
  expect(Object.fromEntries(offered.map((tool) => [tool.name, toolHash(tool)]))).toEqual(
    Object.fromEntries(COMMERCE_PINS),
  );
});
