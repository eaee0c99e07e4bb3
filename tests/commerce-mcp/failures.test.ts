/** What a client is told when the service itself is in trouble: unknown is never "absent", and no internals leave the process. */
import { closeSync, openSync, writeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { CommerceTables } from "../../src/commerce-mcp/commerce-tables.js";
import { commerceTool } from "../../src/commerce-mcp/commerce-tool.js";
import { Refusal } from "../../src/commerce-mcp/refusal.js";
import { codeOf, failed } from "../../src/commerce-mcp/tool-results.js";
import { AftersalesError, toolError } from "../../src/domain/errors.js";
import { kyselyOver, openFile } from "../../src/sqlite/open.js";
import { errorOf } from "../support/commerce-client.js";
import { signGrant } from "../support/commerce-grants.js";
import { type InMemoryCommerce, startInMemory } from "../support/commerce-in-memory.js";
import { openShop, type Shop } from "../support/commerce-shop.js";

let shop: Shop;
let alice: InMemoryCommerce;

beforeEach(async () => {
  shop = await openShop();
  alice = await startInMemory(shop, "alice");
});
afterEach(async () => {
  await alice.close();
  shop.remove();
});

class SqliteTrouble extends Error {
  constructor(readonly code: string) {
    super("secret /path");
  }
}

describe("the code of a failure", () => {
  it.each([
    "BUSY",
    "BUSY_SNAPSHOT",
    "CANTOPEN",
    "IOERR_READ",
    "CORRUPT",
    "CORRUPT_VTAB",
    "NOTADB",
    "FULL",
    "READONLY_DBMOVED",
    "LOCKED",
  ])("SQLITE_%s means that the state is unknown", (family) => {
    expect(codeOf(new SqliteTrouble(`SQLITE_${family}`))).toBe("store_unreadable");
  });

  it.each(["SQLITE_CONSTRAINT_CHECK", "SQLITE_ERROR", "SQLITE_MISUSE", "SQLITE_BUSYBODY", "ENOENT"])(
    "%s is a defect",
    (code) => {
      expect(codeOf(new SqliteTrouble(code))).toBe("service_failed");
    },
  );

  it("is kept for a refusal, and never invented from a text", () => {
    expect(codeOf(new Refusal("quote_changed"))).toBe("quote_changed");
    expect(codeOf(new Error("order_not_accessible"))).toBe("service_failed");
    expect(codeOf("SQLITE_BUSY")).toBe("service_failed");
    expect(codeOf(new AftersalesError("data_invalid", { file: "f", detail: "d" }))).toBe("store_unreadable");
    expect(codeOf(new AftersalesError("usage", { detail: "d" }))).toBe("service_failed");
  });

  it("says of a store that cannot be read that its state is unknown", () => {
    const error = errorOf(failed("store_unreadable"));
    expect(error).toMatchObject({ category: "transient", retryable: true });
    expect(error.message).toContain("unknown");
    expect(error.message).not.toMatch(/not exist|no such|not found/i);
  });
});

describe("a store in trouble", () => {
  it("is reported as unreadable by reads and by a refund while its pages are damaged", async () => {
    const proposal = shop.propose("QH-1001");
    const grant = await signGrant(shop.keys, proposal);
    overwritePages(shop.database, ["orders", "products"]);
    const broken = await startInMemory(shop, "alice");
    expect(errorOf(await broken.call("get_order", { order_id: "QH-1001" }))).toEqual(toolError("store_unreadable"));
    expect(errorOf(await broken.call("list_orders"))).toEqual(toolError("store_unreadable"));
    expect(errorOf(await broken.call("get_product", { sku: "DESK-01" }))).toEqual(toolError("store_unreadable"));
    const refused = await broken.call("execute_refund", { approval_id: proposal.approvalId, grant });
    expect(errorOf(refused)).toEqual(toolError("store_unreadable"));
    expect(broken.log.join("\n")).toContain("SQLITE_CORRUPT");
    await broken.close();
  });

  it("lets reads go on while another process holds the write lock, and makes writes wait for it", async () => {
    const holder = new Database(shop.database);
    holder.exec("begin immediate");
    const read = await alice.call("get_order", { order_id: "QH-1001" });
    expect(read.isError).not.toBe(true);
    const ticket = alice.call("create_ticket", { order_id: "QH-1001", summary: "s", idempotency_key: "k" });
    const settled = await Promise.race([ticket.then(() => "answered"), alice.client.ping().then(() => "waiting")]);
    expect(settled).toBe("waiting");
    holder.exec("commit");
    holder.close();
    expect((await ticket).isError).not.toBe(true);
  });

  it("ends a wait for the write lock as unknown, never as refused, and the same call pays later", async () => {
    const patience = { totalMs: 20, nowMs: () => performance.now(), waitMs: (ms: number) => wait(ms) };
    const db = kyselyOver<CommerceTables>(openFile(shop.database, { create: false }), patience);
    const hurried = await startInMemory(shop, "alice", { db });
    const proposal = shop.propose("QH-1001");
    const args = { approval_id: proposal.approvalId, grant: await signGrant(shop.keys, proposal) };
    const holder = new Database(shop.database);
    holder.exec("begin immediate");
    expect(errorOf(await hurried.call("execute_refund", args))).toEqual(toolError("store_unreadable"));
    expect(hurried.log[0]).toMatch(/^[0-9a-f-]{36} execute_refund store_unreadable: SqliteError SQLITE_BUSY$/);
    holder.exec("rollback");
    holder.close();
    expect(shop.receipts()).toEqual([]);
    expect((await hurried.call("execute_refund", args)).isError).not.toBe(true);
    await hurried.close();
    await db.destroy();
  });
});

describe("an unexpected failure", () => {
  it("shows the client a fixed sentence and the operator an id and a class", async () => {
    shop.tamper("alter table products rename to gone_with_password_hunter2");
    const refused = await alice.call("get_product", { sku: "DESK-01" });
    expect(errorOf(refused)).toEqual(toolError("service_failed"));
    expect(alice.log).toHaveLength(1);
    expect(alice.log[0]).toMatch(/^[0-9a-f-]{36} get_product service_failed: SqliteError SQLITE_ERROR$/);
  });

  it.each([
    ["an order", "update orders set status = 'lost' where order_id = 'QH-1001'", "get_order"],
    ["a shipment", `update orders set shipment = '{"secret":1}' where order_id = 'QH-1001'`, "get_shipment"],
    ["an invoice", "update orders set invoice = 'no json' where order_id = 'QH-1001'", "get_invoice"],
  ])("of reading %s that breaks its own shape leaks nothing of it", async (_what, damage, tool) => {
    shop.tamper(damage);
    const refused = await alice.call(tool, { order_id: "QH-1001" });
    expect(errorOf(refused)).toEqual(toolError("service_failed"));
    expect(alice.log.join()).not.toContain("secret");
  });

  it("of an answer that breaks its contract sends none of it", async () => {
    const tool = commerceTool({
      name: "get_order",
      description: "",
      annotations: {},
      input: z.strictObject({}),
      output: z.strictObject({ a: z.number() }),
      run: async () => ({ a: Number.NaN }),
    });
    await expect(tool.call({})).rejects.toMatchObject({ code: "output_contract_broken" });
  });

  it("of the ledger says no more than its code", async () => {
    const chen = await startInMemory(shop, "chen");
    shop.tamper("alter table receipts rename to secret_place");
    await expect(chen.client.readResource({ uri: "qinghe://ledger" })).rejects.toMatchObject({
      code: -32603,
      message: `MCP error -32603: ${toolError("service_failed").message}`,
      data: toolError("service_failed"),
    });
    expect(chen.log).toEqual(["qinghe://ledger: SqliteError SQLITE_ERROR"]);
    await chen.close();
  });
});

describe("a long ledger", () => {
  it("is read page by page and holds every receipt exactly once", async () => {
    const proposal = shop.propose("QH-1001");
    await alice.call("execute_refund", {
      approval_id: proposal.approvalId,
      grant: await signGrant(shop.keys, proposal),
    });
    shop.tamper(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200)
      insert into receipts select tenant, 'ap-' || printf('%04d', i), digest,
        json_set(body, '$.approval_id', 'ap-' || printf('%04d', i)) from receipts, n`);
    const chen = await startInMemory(shop, "chen");
    const seen: string[] = [];
    let pages = 0;
    for (let uri: string | null = "qinghe://ledger"; uri !== null; pages++) {
      const [content] = (await chen.client.readResource({ uri })).contents;
      const page = z
        .object({ receipts: z.array(z.object({ approval_id: z.string() })), next: z.string().nullable() })
        .parse(JSON.parse(content !== undefined && "text" in content ? content.text : ""));
      seen.push(...page.receipts.map(({ approval_id }) => approval_id));
      uri = page.next;
    }
    expect(pages).toBe(3);
    expect(seen).toEqual(shop.receipts().map(({ approval_id }) => approval_id));
    expect(seen).toHaveLength(1_201);
    await chen.close();
  });
});

/** Destroys the root page of each table, the way a bad disk would. */
function overwritePages(path: string, tables: string[]): void {
  const db = new Database(path, { readonly: true });
  const pageSize = z.number().parse(db.pragma("page_size", { simple: true }));
  const root = db.prepare<[string], { rootpage: number }>("select rootpage from sqlite_master where name = ?");
  const pages = tables.map((table) => root.get(table)?.rootpage ?? 0);
  db.close();
  const file = openSync(path, "r+");
  for (const page of pages) writeSync(file, Buffer.alloc(pageSize, 0xff), 0, pageSize, (page - 1) * pageSize);
  closeSync(file);
}
