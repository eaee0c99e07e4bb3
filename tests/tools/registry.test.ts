import { expect, test } from "vitest";
import { COMMERCE_READ_TOOLS } from "../../src/domain/commerce-wire.js";
import { isGranted, isModelTool, LOCAL_TOOLS, MODEL_TOOLS } from "../../src/tools/allowlist.js";
import { modelSpecs } from "../../src/tools/model-specs.js";
import { createRegistry } from "../../src/tools/registry.js";
import { toolBench } from "../support/ledger-tools.js";

const { tools } = toolBench();

test("the registry holds exactly the twelve", () => {
  expect([...createRegistry(tools).keys()].sort()).toEqual([...MODEL_TOOLS].sort());
  expect(MODEL_TOOLS).toHaveLength(12);
});

test.each(MODEL_TOOLS)("without %s there is no start", (name) => {
  const rest = tools.filter((tool) => tool.name !== name);
  expect(() => createRegistry(rest)).toThrow(expect.objectContaining({ code: "internal_error" }));
});

test("a tool twice, or one too many, is no start", () => {
  const [first] = tools;
  if (first === undefined) throw new Error("no tool");
  expect(() => createRegistry([...tools, first])).toThrow(expect.objectContaining({ code: "internal_error" }));
  expect(() => createRegistry([...tools.slice(1), first, first])).toThrow();
  expect(() => createRegistry([])).toThrow();
});

test("nothing that pays, writes to the shop or is a property of every object is on the list", () => {
  for (const name of ["execute_refund", "create_ticket", "__proto__", "constructor", "toString", ""]) {
    expect(isModelTool(name)).toBe(false);
  }
});

test("a customer's case may use the twelve, a reviewer's none", () => {
  expect(MODEL_TOOLS.every((name) => isGranted("customer", name))).toBe(true);
  expect(MODEL_TOOLS.some((name) => isGranted("reviewer", name))).toBe(false);
});

test("only the note is a write", () => {
  expect(tools.filter(({ isRead }) => !isRead).map(({ name }) => name)).toEqual(["save_case_note"]);
});

const local = tools.filter(({ name }) => LOCAL_TOOLS.some((known) => known === name));

test.each(local)("$name says what it does, when to use it, when not to and what it returns", ({ description }) => {
  expect(description).toMatch(/^[A-Z].+\. WHEN TO USE: .+\. WHEN NOT TO USE: .+\. RETURNS: .+\.$/s);
});

/** Tools a model could mistake for one another have to point to each other. */
const SIBLINGS = [
  ["search_knowledge", "read_knowledge"],
  ["search_knowledge", "load_skill"],
  ["search_knowledge", "calculate_refund"],
  ["search_knowledge", "get_order"],
  ["read_knowledge", "load_skill"],
  ["load_skill", "read_knowledge"],
  ["load_skill", "search_knowledge"],
  ["calculate_refund", "get_order"],
  ["calculate_refund", "get_invoice"],
  ["calculate_refund", "search_knowledge"],
  ["read_preferences", "list_orders"],
  ["read_preferences", "save_case_note"],
  ["save_case_note", "read_preferences"],
  ["read_knowledge", "search_knowledge"],
] as const;

test.each(SIBLINGS)("%s tells when %s is the right one", (name, sibling) => {
  const [, reasons = ""] =
    /WHEN NOT TO USE: (.*) RETURNS:/s.exec(tools.find((tool) => tool.name === name)?.description ?? "") ?? [];
  expect(reasons).toContain(sibling);
});

test("every schema a model sees is a closed object of plain values", () => {
  for (const { schema, name } of modelSpecs(createRegistry(tools))) {
    expect(schema, name).toMatchObject({ type: "object", additionalProperties: false });
    const properties = Object.values(Object(schema.properties));
    for (const property of properties) expect(property, name).toMatchObject({ type: "string" });
    expect(schema.required ?? []).toEqual(Object.keys(Object(schema.properties)));
  }
});

test("specs name tools and hold nothing that could be called", () => {
  const specs = modelSpecs(createRegistry(tools));
  expect(JSON.parse(JSON.stringify(specs))).toEqual(specs);
  expect(
    specs.map(({ name }) => name).filter((name) => COMMERCE_READ_TOOLS.some((read) => read === name)),
  ).toHaveLength(6);
});
