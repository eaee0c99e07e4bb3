/** Whoever writes the data is told the file, the record, the field and what to do; nothing half right is served. */
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readBusinessData, readProfiles, readRefundRules } from "../../src/commerce-mcp/data-files.js";
import { readPolicyBasis } from "../../src/commerce-mcp/policy-basis.js";
import { AftersalesError } from "../../src/domain/errors.js";
import {
  BUSINESS_DATE,
  type CommerceData,
  commerceData,
  policyText,
  temporaryData,
  writeCommerceData,
} from "../support/commerce-data.js";

let dataDir: string;
let remove: () => void;

beforeEach(() => {
  ({ dataDir, remove } = temporaryData());
});
afterEach(() => remove());

const change = (edit: (data: CommerceData) => void) => {
  const data = commerceData();
  edit(data);
  writeCommerceData(dataDir, data);
};
const basis = () => readPolicyBasis(dataDir, readRefundRules(dataDir), BUSINESS_DATE);

function problemOf(work: () => unknown): { file: string; detail: string } {
  try {
    work();
  } catch (error) {
    if (!(error instanceof AftersalesError)) throw error;
    expect(error.code).toBe("data_invalid");
    const { file = "", detail = "" } = error.details;
    return { file, detail };
  }
  throw new Error("nothing was refused");
}

describe("business.json", () => {
  it("is read when it is right", () => {
    expect(readBusinessData(dataDir).orders).toHaveLength(8);
  });

  it.each<[string, (data: CommerceData) => void, string]>([
    [
      "a broken sum",
      (data) => orderOf(data, "QH-1001", { paid_items_cents: 12_901 }),
      'QH-1001, field "paid_items_cents": must equal',
    ],
    [
      "a cent in fractions",
      (data) => orderOf(data, "QH-1002", { shipping_cents: 0.5 }),
      'QH-1002, field "shipping_cents": ',
    ],
    [
      "an amount as text",
      (data) => orderOf(data, "QH-1002", { shipping_cents: "100" }),
      'QH-1002, field "shipping_cents": ',
    ],
    ["an unknown field", (data) => orderOf(data, "QH-2001", { colour: "red" }), "QH-2001: Unrecognized key"],
    ["a bad order id", (data) => orderOf(data, "QH-2001", { order_id: "QH-1" }), 'QH-1, field "order_id": '],
    ["a nested field", (data) => orderOf(data, "QH-2001", { invoice: { state: "paid" } }), 'QH-2001, field "invoice.'],
    ["a wrong date", (data) => Reflect.set(data.business, "as_of", "12.09.2026"), 'the file, field "as_of": '],
  ])("with %s names record and field", (_what, edit, detail) => {
    change(edit);
    expect(problemOf(() => readBusinessData(dataDir))).toEqual({
      file: "business.json",
      detail: expect.stringContaining(detail),
    });
  });

  it.each([
    ["{", "is not valid JSON"],
    ["[]", "must hold one JSON object"],
    ['{"a":1,"a":2}', "repeats a key"],
    ['{"a":1e999}', "infinite"],
  ])("holding %s is refused before its content is looked at", (text, detail) => {
    writeFileSync(join(dataDir, "business.json"), text);
    expect(problemOf(() => readBusinessData(dataDir)).detail).toContain(detail);
  });

  it("that is missing is named with the folder it was sought in", () => {
    rmSync(join(dataDir, "business.json"));
    const { file, detail } = problemOf(() => readBusinessData(dataDir));
    expect(file).toBe("business.json");
    expect(detail).toBe(`cannot be read in ${dataDir}; restore it or pass the right --data`);
  });
});

describe("profiles.json", () => {
  it("may not hold a name twice, not even in two merchants", () => {
    change(({ profiles }) => profiles.profiles.push({ tenant: "south", user: "alice", role: "reviewer" }));
    expect(problemOf(() => readProfiles(dataDir))).toMatchObject({
      file: "profiles.json",
      detail: expect.stringContaining("alice"),
    });
  });

  it("may not hold an unknown role", () => {
    change(({ profiles }) => Reflect.set(profiles.profiles[0] ?? {}, "role", "admin"));
    expect(problemOf(() => readProfiles(dataDir)).detail).toContain('alice, field "role": ');
  });
});

describe("the mandatory pages", () => {
  it("are taken in the order the rules name them", () => {
    const { documentVersion, policyPages } = basis();
    expect(documentVersion).toBe("2026-09");
    expect(policyPages.map(({ page }) => page)).toEqual(["RETURNS:p02", "RETURNS:p03"]);
    expect(new Set(policyPages.map(({ textHash }) => textHash)).size).toBe(2);
  });

  it("change their hash with one word of text, and only the page that changed", () => {
    const before = basis();
    change(({ knowledge }) => {
      knowledge["RETURNS.md"] = policyText({}, "Freight is refunded.");
    });
    const after = basis();
    expect(after.policyPages[0]).toEqual(before.policyPages[0]);
    expect(after.policyPages[1]).not.toEqual(before.policyPages[1]);
  });

  it("may stand beside an archived edition and another merchant's document with the same pages", () => {
    const before = basis();
    change(({ knowledge }) => {
      knowledge["OLD.md"] = policyText({ status: "archived", version: "2026-07" }, "Old.");
      knowledge["SOUTH.md"] = policyText({ tenant: "south" }, "South.");
      knowledge["ENDED.md"] = policyText({ effective_to: BUSINESS_DATE, version: "2026-08" }, "Ended today.");
    });
    expect(basis()).toEqual(before);
  });

  it.each<[string, Record<string, unknown>]>([
    ["archived", { status: "archived" }],
    ["another merchant's", { tenant: "south" }],
    ["not yet in force", { effective_from: "2026-09-13" }],
    ["no longer in force", { effective_to: BUSINESS_DATE }],
    ["of another document", { id: "TERMS" }],
  ])("that are %s stop the start", (_what, header) => {
    change(({ knowledge }) => {
      knowledge["RETURNS.md"] = policyText(header);
    });
    const { file, detail } = problemOf(basis);
    expect(file).toBe("knowledge");
    expect(detail).toContain(
      "page RETURNS:p02, which refund_rules.json names, is not in force for qinghe on 2026-09-12",
    );
  });

  it("of another edition than the rules stop the start", () => {
    change(({ knowledge }) => {
      knowledge["RETURNS.md"] = policyText({ version: "2026-10" });
    });
    expect(problemOf(basis)).toEqual({
      file: "knowledge/RETURNS.md",
      detail:
        'header field "version" is 2026-10, but refund_rules.json field "version" is returns-2026-09; bring both to one edition',
    });
  });

  it("in force twice stop the start", () => {
    change(({ knowledge }) => {
      knowledge["AGAIN.md"] = policyText({}, "Something else.");
    });
    expect(problemOf(basis).detail).toContain("also in force from knowledge/AGAIN.md");
  });

  it("in a document that does not parse are reported with their file and place", () => {
    change(({ knowledge }) => {
      knowledge["RETURNS.md"] = policyText().replace("### en", "### de");
    });
    expect(problemOf(basis)).toEqual({
      file: "knowledge/RETURNS.md",
      detail: 'page RETURNS:p02 must have exactly one "### zh" and one "### en" part',
    });
  });

  it("cannot be found without the folder", () => {
    rmSync(join(dataDir, "knowledge"), { recursive: true });
    expect(problemOf(basis).file).toBe("knowledge");
  });
});

describe("the shipped data", () => {
  it("is accepted as it stands", () => {
    const shipped = resolve(import.meta.dirname, "../../data");
    const rules = readRefundRules(shipped);
    expect(readPolicyBasis(shipped, rules, readBusinessData(shipped).as_of).policyPages).toHaveLength(2);
    expect(readProfiles(shipped)).toHaveLength(5);
  });
});

function orderOf(data: CommerceData, id: string, changes: Record<string, unknown>): void {
  for (const order of data.business.orders) if (order.order_id === id) Object.assign(order, changes);
}
