/** What every client may rely on, asked once of the server in memory and once of the real process over stdio. */
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMERCE_READ_TOOLS, COMMERCE_RESULTS } from "../../src/domain/commerce-wire.js";
import { toolError } from "../../src/domain/errors.js";
import { receiptIdOf } from "../../src/domain/receipt.js";
import { type CommerceConnection, dataOf, errorOf, textOf } from "../support/commerce-client.js";
import { signGrant } from "../support/commerce-grants.js";
import { startInMemory } from "../support/commerce-in-memory.js";
import { isAlive, startCommerce } from "../support/commerce-process.js";
import { openShop, type Shop } from "../support/commerce-shop.js";

type Start = (shop: Shop, profile: string, readOnly?: boolean) => Promise<CommerceConnection>;

const pids: number[] = [];
const inMemory: Start = (shop, profile, readOnly = false) => startInMemory(shop, profile, { allowWrites: !readOnly });
const overStdio: Start = async (shop, profile, readOnly = false) => {
  const started = await startCommerce({
    database: shop.database,
    data: shop.dataDir,
    publicKey: shop.keys.publicKeyText,
    profile,
    readOnly,
  });
  pids.push(started.pid);
  return {
    ...started,
    close: async () => {
      await started.close();
      await started.gone;
    },
  };
};

const ALL_TOOLS = [...COMMERCE_READ_TOOLS, "create_ticket", "execute_refund"];

/** Good arguments for every tool: a test adds its one defect. */
const GOOD: Record<string, Record<string, unknown>> = {
  list_orders: {},
  get_order: { order_id: "QH-1001" },
  get_shipment: { order_id: "QH-1001" },
  get_invoice: { order_id: "QH-1001" },
  get_product: { sku: "DESK-01" },
  get_ticket: { ticket_id: "T-0123456789abcdef" },
  create_ticket: { order_id: "QH-1001", summary: "broken", idempotency_key: "k" },
  execute_refund: { approval_id: "ap-1", grant: "a.b.c" },
};

describe.each([
  ["in memory", inMemory],
  ["as a process over stdio", overStdio],
])("the commerce service %s", (_where, start) => {
  let shop: Shop;
  let alice: CommerceConnection;
  let bob: CommerceConnection;
  let chen: CommerceConnection;

  beforeAll(async () => {
    shop = await openShop();
    [alice, bob, chen] = await Promise.all([start(shop, "alice"), start(shop, "bob"), start(shop, "chen")]);
  });
  afterAll(async () => {
    await Promise.all([alice, bob, chen].map((connection) => connection.close()));
    shop.remove();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("lists six tools, and eight when it was started with the writes allowed", async () => {
    const names = async (connection: CommerceConnection) =>
      (await connection.client.listTools()).tools.map(({ name }) => name);
    expect(await names(alice)).toEqual(ALL_TOOLS);
    const reading = await start(shop, "alice", true);
    expect(await names(reading)).toEqual([...COMMERCE_READ_TOOLS]);
    await expect(reading.call("execute_refund", GOOD.execute_refund)).rejects.toMatchObject({ code: -32602 });
    await reading.close();
  });

  it("answers each read with one text block and the same object structured", async () => {
    expect(dataOf(await alice.call("get_order", { order_id: "QH-1009" }))).toEqual({
      order_id: "QH-1009",
      sku: "DESK-01",
      category: "standard",
      status: "delivered",
      quantity: 1,
      list_price_cents: 14_900,
      discount_cents: 2_000,
      paid_items_cents: 12_900,
      shipping_cents: 1_200,
      refunded_cents: 4_900,
      delivered_on: "2026-09-05",
      return_received: true,
      version: 1,
      invoice_id: "INV-1009",
    });
    expect(dataOf(await alice.call("get_shipment", { order_id: "QH-1001" }))).toEqual({
      order_id: "QH-1001",
      carrier: { zh: "虚构快递", en: "Demo Express" },
      tracking_id: "DEMO-1001",
      events: [{ status: "delivered", date: "2026-09-05" }],
    });
    expect(dataOf(await alice.call("get_invoice", { order_id: "QH-1001" }))).toEqual({
      order_id: "QH-1001",
      invoice: {
        invoice_id: "INV-1001",
        currency: "CNY",
        total_cents: 14_100,
        state: "issued",
        customer_label: "ALICE (synthetic)",
      },
    });
    expect(dataOf(await alice.call("get_product", { sku: "MUG-04" }))).toEqual({
      sku: "MUG-04",
      name: { zh: "刻字杯", en: "Engraved mug" },
      category: "custom",
      warranty_months: 6,
    });
  });

  it("lists a customer's own orders by number, and none for a reviewer", async () => {
    const row = (order_id: string, status = "delivered") => ({ order_id, sku: "DESK-01", status });
    expect(dataOf(await alice.call("list_orders"))).toEqual({
      orders: [row("QH-1001"), row("QH-1002"), row("QH-1006", "processing"), row("QH-1009")],
    });
    expect(dataOf(await bob.call("list_orders"))).toEqual({ orders: [row("QH-2001")] });
    expect(dataOf(await chen.call("list_orders"))).toEqual({ orders: [] });
  });

  it("answers a missing shipment or invoice as empty, not as an error", async () => {
    expect(dataOf(await alice.call("get_shipment", { order_id: "QH-1006" }))).toEqual({
      order_id: "QH-1006",
      carrier: null,
      tracking_id: null,
      events: [],
    });
    expect(dataOf(await alice.call("get_invoice", { order_id: "QH-1006" }))).toEqual({
      order_id: "QH-1006",
      invoice: null,
    });
  });

  it.each(["get_order", "get_shipment", "get_invoice"])(
    "%s answers an absent, a foreign and another merchant's order with the same bytes",
    async (tool) => {
      const ids = ["QH-9999", "QH-2001", "QH-3001", "QH-3009"];
      const answers = await Promise.all(ids.map((order_id) => alice.call(tool, { order_id })));
      expect(errorOf(await alice.call(tool, { order_id: "QH-9999" }))).toEqual(toolError("order_not_accessible"));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      for (const order_id of ["QH-1001", "QH-1999"]) {
        expect(JSON.stringify(await chen.call(tool, { order_id }))).toBe(JSON.stringify(answers[0]));
      }
    },
  );

  it("knows no product under an unknown SKU", async () => {
    expect(errorOf(await alice.call("get_product", { sku: "LUNAR-99" }))).toEqual(toolError("product_not_found"));
  });

  it("gives the same ticket for the same request and hides it from others", async () => {
    const request = { order_id: "QH-1001", summary: "The lamp\u0000 stays dark", idempotency_key: "first" };
    const [first, again] = [await alice.call("create_ticket", request), await alice.call("create_ticket", request)];
    expect(textOf(again)).toBe(textOf(first));
    const ticket = COMMERCE_RESULTS.create_ticket.parse(dataOf(first));
    expect(ticket).toMatchObject({ order_id: "QH-1001", summary: request.summary, status: "open", simulated: true });
    expect(textOf(await alice.call("get_ticket", { ticket_id: ticket.ticket_id }))).toBe(textOf(first));

    const foreign = await bob.call("get_ticket", { ticket_id: ticket.ticket_id });
    const absent = await bob.call("get_ticket", { ticket_id: "T-0000000000000000" });
    const nonsense = await bob.call("get_ticket", { ticket_id: "' or 1=1 --" });
    expect(errorOf(foreign)).toEqual(toolError("ticket_not_accessible"));
    expect(JSON.stringify(absent)).toBe(JSON.stringify(foreign));
    expect(JSON.stringify(nonsense)).toBe(JSON.stringify(foreign));
  });

  it("refuses a ticket key that was used for something else", async () => {
    const request = { order_id: "QH-1001", summary: "one", idempotency_key: "used" };
    await alice.call("create_ticket", request);
    for (const change of [{ summary: "two" }, { order_id: "QH-1002" }]) {
      expect(errorOf(await alice.call("create_ticket", { ...request, ...change }))).toEqual(
        toolError("idempotency_conflict"),
      );
    }
  });

  it("opens tickets for owned orders only and keeps the keys of two customers apart", async () => {
    const request = { order_id: "QH-1001", summary: "s", idempotency_key: "shared" };
    expect(errorOf(await bob.call("create_ticket", request))).toEqual(toolError("order_not_accessible"));
    const own = { ...request, order_id: "QH-1999" };
    expect(errorOf(await chen.call("create_ticket", own))).toEqual(toolError("order_not_accessible"));
    const alices = dataOf(await alice.call("create_ticket", request));
    const bobs = dataOf(await bob.call("create_ticket", { ...request, order_id: "QH-2001" }));
    expect(bobs.ticket_id).not.toBe(alices.ticket_id);
  });

  it("pays an approved refund once and answers its repetition with the same bytes", async () => {
    const proposal = shop.propose("QH-1009");
    const args = { approval_id: proposal.approvalId, grant: await signGrant(shop.keys, proposal) };
    const paid = await alice.call("execute_refund", args);
    expect(COMMERCE_RESULTS.execute_refund.parse(dataOf(paid))).toMatchObject({
      receipt_id: receiptIdOf(proposal.approvalId),
      approval_id: proposal.approvalId,
      order_id: "QH-1009",
      amount_cents: 8_000,
      currency: "CNY",
      simulated: true,
    });
    expect(shop.balance("QH-1009")).toEqual({ refunded_cents: 12_900, version: 2 });
    expect(textOf(await alice.call("execute_refund", args))).toBe(textOf(paid));
    expect(shop.balance("QH-1009")).toEqual({ refunded_cents: 12_900, version: 2 });
    expect(dataOf(await alice.call("get_order", { order_id: "QH-1009" }))).toMatchObject({
      refunded_cents: 12_900,
      version: 2,
    });
  });

  it.each(ALL_TOOLS)("%s refuses an unknown argument and names nothing of it", async (tool) => {
    for (const extra of ["tenant", "user", "amount_cents", "constructor"]) {
      const error = errorOf(await alice.call(tool, { ...GOOD[tool], [extra]: "planted" }));
      expect(error).toEqual(toolError("invalid_arguments"));
    }
  });

  it.each(ALL_TOOLS.filter((tool) => tool !== "list_orders"))(
    "%s refuses missing and mistyped arguments",
    async (tool) => {
      for (const field of Object.keys(GOOD[tool] ?? {})) {
        for (const value of [undefined, null, 1, true, "", ["QH-1001"], { $ne: 1 }, "x".repeat(9_000)]) {
          const args = { ...GOOD[tool], [field]: value };
          expect(errorOf(await alice.call(tool, args)), `${field}: ${String(value)}`).toEqual(
            toolError("invalid_arguments"),
          );
        }
      }
    },
  );

  it.each(["QH-１００１", "qh-1001", " QH-1001", "QH-1001\n", "QH-10011", "../QH-1001"])(
    "does not take %j for an order number",
    async (order_id) => {
      expect(errorOf(await alice.call("get_order", { order_id }))).toEqual(toolError("invalid_arguments"));
    },
  );

  it.each(["refund_everything", "constructor", "__proto__", ""])(
    "answers the unknown tool %j as a protocol error",
    async (name) => {
      const refusal = await alice.call(name).then(
        () => null,
        (error: unknown) => error,
      );
      expect(refusal).toBeInstanceOf(McpError);
      expect(refusal).toMatchObject({ code: -32602, message: "MCP error -32602: Unknown tool" });
    },
  );

  it("says for whom it acts", async () => {
    const { contents } = await alice.client.readResource({ uri: "qinghe://service-scope" });
    expect(contents).toHaveLength(1);
    expect(JSON.parse(contentText(contents[0]))).toMatchObject({
      fictional: true,
      identity: { tenant: "qinghe", user: "alice", role: "customer" },
      business_date: "2026-09-12",
    });
  });

  it("shows the ledger to a reviewer of the merchant only", async () => {
    const proposal = shop.propose("QH-2001");
    await bob.call("execute_refund", { approval_id: proposal.approvalId, grant: await signGrant(shop.keys, proposal) });
    const { contents } = await chen.client.readResource({ uri: "qinghe://ledger" });
    const ledger = JSON.parse(contentText(contents[0]));
    expect(ledger).toMatchObject({ tenant: "qinghe", next: null });
    expect(ledger.receipts).toEqual(shop.receipts().map(({ body }) => JSON.parse(body)));
    expect(ledger.receipts.length).toBeGreaterThan(0);

    const mei = await start(shop, "mei");
    const souths = await mei.client.readResource({ uri: "qinghe://ledger" });
    expect(JSON.parse(contentText(souths.contents[0]))).toEqual({ tenant: "south", receipts: [], next: null });
    await mei.close();
    for (const uri of ["qinghe://ledger", `qinghe://ledger/${proposal.approvalId}`, "qinghe://ledger/..%2f"]) {
      await expect(alice.client.readResource({ uri })).rejects.toMatchObject({
        code: -32602,
        message: "MCP error -32602: This resource is not available to this identity.",
      });
    }
  });
});

function contentText(content: Record<string, unknown> | undefined): string {
  if (typeof content?.text !== "string") throw new Error("expected a text resource");
  return content.text;
}
