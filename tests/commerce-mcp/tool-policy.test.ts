/** What a client can see of a tool before it calls it. */
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { COMMERCE_ARGUMENTS, COMMERCE_READ_TOOLS, COMMERCE_RESULTS } from "../../src/domain/commerce-wire.js";
import { type InMemoryCommerce, startInMemory } from "../support/commerce-in-memory.js";
import { openShop, type Shop } from "../support/commerce-shop.js";

const NAMES = z.enum([...COMMERCE_READ_TOOLS, "create_ticket", "execute_refund"]).options;
const READS: readonly string[] = COMMERCE_READ_TOOLS;

let shop: Shop;
let alice: InMemoryCommerce;
let tools: Map<string, Tool>;

beforeAll(async () => {
  shop = await openShop();
  alice = await startInMemory(shop, "alice");
  tools = new Map((await alice.client.listTools()).tools.map((tool) => [tool.name, tool]));
});
afterAll(async () => {
  await alice.close();
  shop.remove();
});

function tool(name: string): Tool {
  const found = tools.get(name);
  if (found === undefined) throw new Error(`${name} is not listed`);
  return found;
}

/** The four parts of a description under their labels. */
function partsOf(description: string | undefined): { what: string; when: string; whenNot: string; returns: string } {
  const match = /^(.+)\nWHEN TO USE: (.+)\nWHEN NOT TO USE: (.+)\nRETURNS: (.+)$/.exec(description ?? "");
  if (match === null) throw new Error(`not in four parts: ${description}`);
  const [, what = "", when = "", whenNot = "", returns = ""] = match;
  return { what, when, whenNot, returns };
}

describe("annotations", () => {
  it.each(READS)("%s is marked as a read of a closed world", (name) => {
    expect(tool(name).annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
  });

  it("marks a ticket as an addition and a refund as a change, both safe to repeat", () => {
    const write = { readOnlyHint: false, idempotentHint: true, openWorldHint: false };
    expect(tool("create_ticket").annotations).toEqual({ ...write, destructiveHint: false });
    expect(tool("execute_refund").annotations).toEqual({ ...write, destructiveHint: true });
  });
});

describe("schemas", () => {
  it.each(NAMES)("%s lists exactly the strict schemas of the wire contract", (name) => {
    const { inputSchema, outputSchema } = tool(name);
    const draft = { target: "draft-7" } as const;
    expect(inputSchema).toEqual(z.toJSONSchema(COMMERCE_ARGUMENTS[name], { ...draft, io: "input" }));
    expect(outputSchema).toEqual(z.toJSONSchema(COMMERCE_RESULTS[name], { ...draft, io: "output" }));
  });

  it.each(NAMES)("%s allows no further members, at any depth", (name) => {
    for (const schema of [tool(name).inputSchema, tool(name).outputSchema]) {
      const objects = objectSchemas(schema);
      expect(objects.length).toBeGreaterThan(0);
      for (const object of objects) expect(object).toMatchObject({ additionalProperties: false });
    }
  });

  it.each(NAMES)("%s takes nothing but required, bounded strings", (name) => {
    const { properties = {}, required = [] } = tool(name).inputSchema;
    expect([...required].sort()).toEqual(Object.keys(properties).sort());
    for (const property of Object.values(properties)) {
      expect(property).toMatchObject({ type: "string" });
      expect(Object.hasOwn(property, "maxLength") || Object.hasOwn(property, "pattern")).toBe(true);
    }
  });
});

describe("descriptions", () => {
  it.each(NAMES)("%s says what it does, when to use it, when not, and what it returns", (name) => {
    const { what, when, whenNot, returns } = partsOf(tool(name).description);
    for (const part of [what, when, whenNot, returns]) expect(part.length).toBeGreaterThan(30);
  });

  it.each(NAMES)("%s names only tools that exist", (name) => {
    const { what, when, whenNot } = partsOf(tool(name).description);
    const named = `${what} ${when} ${whenNot}`.match(/\b(get|list|create|execute|search|read)_[a-z_]+\b/g) ?? [];
    expect(named.filter((other) => !NAMES.some((known) => known === other))).toEqual([]);
  });

  it("lets siblings send the reader to each other", () => {
    const pairs = [
      ["get_order", "get_shipment"],
      ["get_order", "get_invoice"],
      ["get_order", "get_product"],
      ["get_order", "list_orders"],
      ["get_invoice", "get_shipment"],
      ["list_orders", "get_product"],
      ["get_ticket", "create_ticket"],
      ["create_ticket", "execute_refund"],
    ] as const;
    const boundary = (name: string) => partsOf(tool(name).description).whenNot;
    for (const [one, two] of pairs.slice(0, -1)) {
      expect(boundary(one), `${one} names ${two}`).toContain(two);
      expect(boundary(two), `${two} names ${one}`).toContain(one);
    }
    expect(boundary("create_ticket")).toContain("execute_refund");
    expect(boundary("execute_refund")).toContain("create_ticket");
  });

  it.each(NAMES)("%s lists every field it returns", (name) => {
    const { returns } = partsOf(tool(name).description);
    for (const field of Object.keys(COMMERCE_RESULTS[name].shape)) expect(returns).toContain(field);
  });

  it("never sends a model that holds only the reads to a write without saying so", () => {
    for (const name of READS) {
      const { description = "" } = tool(name);
      expect(description).not.toContain("execute_refund");
      if (description.includes("create_ticket")) expect(description).toContain("create_ticket, where it is offered");
    }
  });

  /** Customers' words, none of them a tool's own: the one tool whose WHEN TO USE holds them all is the right one. */
  it.each<[string[], string]>([
    [["parcel"], "get_shipment"],
    [["package"], "get_shipment"],
    [["tracking number"], "get_shipment"],
    [["carrier"], "get_shipment"],
    [["not arrived"], "get_shipment"],
    [["invoice"], "get_invoice"],
    [["bill"], "get_invoice"],
    [["receipt document"], "get_invoice"],
    [["void"], "get_invoice"],
    [["warranty"], "get_product"],
    [["guarantee"], "get_product"],
    [["given back"], "get_order"],
    [["status of the order"], "get_order"],
    [["what they paid"], "get_order"],
    [["earlier refund"], "get_order"],
    [["without giving its number"], "list_orders"],
    [["bought", "choose one"], "list_orders"],
    [["ticket number"], "get_ticket"],
  ])("%j points to %s alone", (words, expected) => {
    const chosen = READS.filter((name) => words.every((word) => partsOf(tool(name).description).when.includes(word)));
    expect(chosen).toEqual([expected]);
  });
});

function objectSchemas(schema: unknown): Record<string, unknown>[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "type" in schema && schema.type === "object" ? [{ ...schema }] : [];
  return [...own, ...Object.values(schema).flatMap(objectSchemas)];
}
