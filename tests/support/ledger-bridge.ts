/** The bridge over the stand-in commerce process, pinned to what the stand-in offers unchanged. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type CommerceBridge, createCommerceBridge, toolHash } from "../../src/adapters/commerce-bridge.js";

const SERVER = join(import.meta.dirname, "ledger-commerce.mjs");
const READS = ["list_orders", "get_order", "get_shipment", "get_invoice", "get_product", "get_ticket"];
const inputSchema = {
  type: "object" as const,
  properties: { order_id: { type: "string" } },
  required: ["order_id"],
  additionalProperties: false,
};
const empty = { type: "object" as const, properties: {}, additionalProperties: false };

/** Hashes of the unchanged stand-in's tools. */
export const STAND_IN_PINS: ReadonlyMap<string, string> = new Map(
  [...READS, "create_ticket", "execute_refund"].map((name) => {
    const description = `${name} of the stand-in`;
    return [name, toolHash({ name, description, inputSchema: name === "list_orders" ? empty : inputSchema })];
  }),
);

export type Change = "none" | "extra" | "missing" | "description" | "schema" | "annotations";

export type StandIn = {
  bridge: CommerceBridge;
  /** What the process wrote down: `start PID`, `call TOOL KIND`, `cancelled KIND`. */
  journal: () => string[];
  /** Resolves once the journal holds a line that starts so. */
  noted: (start: string) => Promise<string>;
};

export function standIn(change: Change = "none"): StandIn {
  const dir = mkdtempSync(join(tmpdir(), "stand-in-"));
  const file = join(dir, "journal");
  const bridge = createCommerceBridge({
    process: { command: process.execPath, args: [SERVER, file, change] },
    pins: STAND_IN_PINS,
  });
  onTestFinished(async () => {
    await bridge.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const journal = (): string[] => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
  return {
    bridge,
    journal,
    async noted(start) {
      for (;;) {
        const line = journal().find((candidate) => candidate.startsWith(start));
        if (line !== undefined) return line;
        await new Promise((done) => setImmediate(done));
      }
    },
  };
}
