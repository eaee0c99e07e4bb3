/** Owns provoking each kind of trouble in real commerce processes with real files, and what the host then knows. Nothing is canned. */
import { closeSync, cpSync, fstatSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { BusinessData } from "../domain/business-data.js";
import type { CommerceToolName, ToolErrorWire } from "../domain/commerce-wire.js";
import { AftersalesError, toolError } from "../domain/errors.js";
import type { Identity } from "../domain/identity.js";
import { LIMITS } from "../domain/limits.js";
import { createHost, singleCaller, toAftersalesError } from "../graph/compose.js";
import { initialise } from "../graph/compose-state.js";
import type { RunContext } from "./run-context.js";

/** What the host was told. `error` is null for a valid answer, an empty one included; `found` then says what was there. */
export type ErrorRow = { name: string; error: ToolErrorWire | null; found: string | null };
export type CapRow = ErrorRow & { deliveryFeesCents: number | null };
export type ErrorTables = { categories: ErrorRow[]; access: ErrorRow[]; capBasis: CapRow[] };

type Shop = {
  call(name: string, tool: CommerceToolName, args: Record<string, unknown>): Promise<ErrorRow>;
  capBasis(name: string): Promise<CapRow>;
  close(): Promise<void>;
};

/** Runs everything below `folder`, for the bound customer. Throws `demo_failed` when that customer has no order to ask about. */
export async function provokeErrors(context: RunContext, folder: string): Promise<ErrorTables> {
  const stateDirOf = (name: string): string => join(folder, name);
  const emptyData = stateDirOf("data-without-fees");
  const orderId = writeEmptyData(context.dataDir, emptyData, context.identity());
  const full = await openShop(context, stateDirOf("full"), context.dataDir);
  const damaged = await openShop(context, stateDirOf("damaged"), context.dataDir);
  const empty = await openShop(context, stateDirOf("empty"), emptyData);
  const gone = await openShop(context, stateDirOf("gone"), context.dataDir);
  const order = { order_id: orderId };
  const ticket = { ...order, summary: "It flickers.", idempotency_key: "demo-1" };
  const other = { ...ticket, summary: "It hums." };
  const forged = { approval_id: "00000000-0000-4000-8000-000000000000-1", grant: "not.a.grant" };
  try {
    await full.call("a ticket", "create_ticket", ticket);
    const validation = await damaged.call("no order number", "get_order", { order_id: "12345" });
    const business = await full.call("a key used before for something else", "create_ticket", other);
    const permission = await full.call("a refund that nobody approved", "execute_refund", forged);
    const stranger = await full.call("an order of nobody or of somebody else", "get_order", { order_id: "QH-0000" });
    const fees = await full.capBasis("fees on record");
    // The service has started by now and has not read the orders: from here on it cannot.
    damage(commerceFile(stateDirOf("damaged")));
    rmSync(commerceFile(stateDirOf("gone")));
    return {
      categories: [await damaged.call("a damaged store", "get_order", order), validation, business, permission],
      access: [
        await empty.call("none issued yet", "get_invoice", order),
        await damaged.call("the store is damaged", "get_invoice", order),
        await gone.call("the service does not start", "get_invoice", order),
        stranger,
      ],
      capBasis: [
        fees,
        await empty.capBasis("no fees on record"),
        await damaged.capBasis("the store is damaged"),
        await gone.capBasis("the service does not start"),
      ],
    };
  } finally {
    await Promise.all([full.close(), damaged.close(), empty.close(), gone.close()]);
  }
}

/** Calls go over the host's own line to the process, as all of the host's calls do. */
async function openShop(context: RunContext, stateDir: string, dataDir: string): Promise<Shop> {
  const { config, clocks, models } = context;
  const identity = context.identity();
  await initialise({ config, clocks, dataDir, stateDir });
  const host = createHost({ config, stateDir, dataDir, clocks, models, callers: singleCaller(identity) });
  const failed = (name: string, error: unknown): ErrorRow => ({
    name,
    error: toolError(toAftersalesError(error).code),
    found: null,
  });
  return {
    async call(name, tool, args) {
      try {
        const outcome = await host.commerce.bridge(identity).call(tool, args, { remainingMs: () => LIMITS.toolCallMs });
        if (outcome.kind === "ok") return { name, error: null, found: JSON.stringify(outcome.data) };
        return { name, error: outcome.kind === "error" ? outcome.error : toolError("outcome_unknown"), found: null };
      } catch (error) {
        return failed(name, error);
      }
    },
    async capBasis(name) {
      try {
        const { deliveryFeesCents } = await host.capBasis(identity);
        return { name, error: null, found: null, deliveryFeesCents };
      } catch (error) {
        return { ...failed(name, error), deliveryFeesCents: null };
      }
    },
    close: () => host.close(),
  };
}

/** The same data, but the customer's first order has no invoice yet and nobody ever paid for a delivery. Returns that order's id. */
function writeEmptyData(from: string, to: string, { tenant, user }: Identity): string {
  cpSync(from, to, { recursive: true });
  const file = join(to, "business.json");
  const business = BusinessData.parse(JSON.parse(readFileSync(file, "utf8")));
  const first = business.orders.find((order) => order.tenant === tenant && order.user === user);
  if (first === undefined) throw new AftersalesError("demo_failed", { detail: `${user} has no order` });
  const orders = business.orders.map((order) => {
    const paid = { ...order, shipping_cents: 0 };
    if (order === first || order.invoice === null) return { ...paid, invoice_id: null, invoice: null };
    return { ...paid, invoice: { ...order.invoice, total_cents: order.paid_items_cents } };
  });
  writeFileSync(file, JSON.stringify({ ...business, orders }));
  return first.order_id;
}

function commerceFile(stateDir: string): string {
  return join(stateDir, "commerce", "commerce.db");
}

/** Destroys all but the first page, the way a bad disk would, while the service has the file open. */
function damage(file: string): void {
  const pageSize = readFileSync(file).readUInt16BE(16);
  const opened = openSync(file, "r+");
  try {
    const rest = fstatSync(opened).size - pageSize;
    writeSync(opened, Buffer.alloc(rest, 0xff), 0, rest, pageSize);
  } finally {
    closeSync(opened);
  }
}
