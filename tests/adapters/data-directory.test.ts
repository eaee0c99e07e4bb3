import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRefundTerms, readBusinessDate, readProfile } from "../../src/adapters/data-directory.js";
import { loadPolicyDocuments } from "../../src/adapters/policy-documents.js";
import { TenantId } from "../../src/domain/ids.js";
import { copyOfData, DATA } from "../support/ledger-data.js";
import { QINGHE } from "../support/ledger-values.js";

const terms = (dir: string) => createRefundTerms(dir, loadPolicyDocuments(dir));

test("a profile is who it says; an unknown one names the known ones", () => {
  expect(readProfile(DATA, "alice")).toEqual({ tenant: "qinghe", user: "alice", role: "customer" });
  expect(() => readProfile(DATA, "mallory")).toThrow(
    expect.objectContaining({ code: "unknown_profile", message: expect.stringContaining("alice") }),
  );
  expect(() => readProfile(DATA, "constructor")).toThrow(expect.objectContaining({ code: "unknown_profile" }));
});

test.each<[string, string, (text: string) => string, string]>([
  ["profiles that are not JSON", "profiles.json", (text) => text.slice(1), "is not valid JSON"],
  ["an unknown role", "profiles.json", (text) => text.replace('"reviewer"', '"admin"'), "role"],
  ["a user name with a slash", "profiles.json", (text) => text.replace('"alice"', '"a/b"'), "user"],
  [
    "a profile field too many",
    "profiles.json",
    (text) => text.replace('"role"', '"admin": true, "role"'),
    "Unrecognized",
  ],
])("%s are refused with file and field", (_what, file, change, detail) => {
  const { dir, edit } = copyOfData();
  edit(file, change);
  expect(() => readProfile(dir, "alice")).toThrow(
    expect.objectContaining({ code: "data_invalid", details: { file, detail: expect.stringContaining(detail) } }),
  );
});

test("a missing file says that it cannot be read", () => {
  const { dir } = copyOfData();
  rmSync(join(dir, "profiles.json"));
  expect(() => readProfile(dir, "alice")).toThrow(
    expect.objectContaining({ details: { file: "profiles.json", detail: "cannot be read" } }),
  );
});

test.each(['"2026-9-12"', '"2026-02-30"', '""', "20260912", "null"])("%s is no business date", (value) => {
  const { dir, edit } = copyOfData();
  edit("business.json", (text) => text.replace(/"as_of":\s*"[^"]*"/, `"as_of": ${value}`));
  expect(() => readBusinessDate(dir)).toThrow(
    expect.objectContaining({
      code: "data_invalid",
      details: { file: "business.json", detail: expect.stringContaining("as_of") },
    }),
  );
});

test("the terms rest on both mandatory pages with the hashes of their text", () => {
  const { rules, businessDate, basisFor } = terms(DATA);
  expect([rules.version, businessDate]).toEqual(["returns-2026-09", "2026-09-12"]);
  const basis = basisFor(QINGHE);
  expect(basis.documentVersion).toBe("2026-09");
  expect(basis.policyPages.map(({ page }) => page)).toEqual(["RETURNS:p02", "RETURNS:p03"]);
});

test("a merchant without automatic rules has no pages, and so no automatic refund", () => {
  expect(terms(DATA).basisFor(TenantId.parse("south"))).toEqual({ documentVersion: null, policyPages: [] });
});

test.each<[string, string, (text: string) => string, string]>([
  [
    "an archived document",
    "knowledge/RETURNS.md",
    (text) => text.replace('"status":"active"', '"status":"archived"'),
    "policy_page_not_accessible",
  ],
  [
    "another merchant's document",
    "knowledge/RETURNS.md",
    (text) => text.replace('"tenant":"qinghe"', '"tenant":"south"'),
    "policy_page_not_accessible",
  ],
  [
    "a document not yet in force",
    "knowledge/RETURNS.md",
    (text) => text.replace('"effective_from":"2026-09-01"', '"effective_from":"2026-09-13"'),
    "policy_page_not_accessible",
  ],
  [
    "a document no longer in force",
    "knowledge/RETURNS.md",
    (text) => text.replace('"effective_to":null', '"effective_to":"2026-09-12"'),
    "policy_page_not_accessible",
  ],
  [
    "a page that is not there",
    "refund_rules.json",
    (text) => text.replace("RETURNS:p03", "RETURNS:p88"),
    "policy_page_not_accessible",
  ],
  [
    "another edition",
    "knowledge/RETURNS.md",
    (text) => text.replace('"version":"2026-09"', '"version":"2026-08"'),
    "rule_document_version_mismatch",
  ],
  [
    "rules of another edition",
    "refund_rules.json",
    (text) => text.replace("returns-2026-09", "returns-2026-10"),
    "rule_document_version_mismatch",
  ],
])("no refund is quoted on %s", (_what, file, change, code) => {
  const { dir, edit } = copyOfData();
  edit(file, change);
  expect(() => terms(dir).basisFor(QINGHE)).toThrow(expect.objectContaining({ code }));
});

test("rules with an unknown field are refused", () => {
  const { dir, edit } = copyOfData();
  edit("refund_rules.json", (text) => text.replace('"return_days"', '"max_amount": 1, "return_days"'));
  expect(() => terms(dir)).toThrow(
    expect.objectContaining({ code: "data_invalid", details: expect.objectContaining({ file: "refund_rules.json" }) }),
  );
});
