import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadPolicyDocuments } from "../../src/adapters/policy-documents.js";
import { AftersalesError } from "../../src/domain/errors.js";
import { LIMITS } from "../../src/domain/limits.js";
import { copyOfData, DATA } from "../support/ledger-data.js";

const FILE = "knowledge/RETURNS.md";
const header = (from: string, to: string) => (text: string) => text.replace(from, to);

/** What loading refuses with. */
function refusalOf(dir: string): { code: string; file?: string; detail?: string } {
  try {
    loadPolicyDocuments(dir);
  } catch (error) {
    if (error instanceof AftersalesError) return { code: error.code, ...error.details };
    throw error;
  }
  return { code: "loaded" };
}

test("the shipped documents load, in one order", () => {
  const ids = loadPolicyDocuments(DATA).map(({ header: { id } }) => id);
  expect(ids).toEqual([...ids].sort());
  expect(ids).toEqual(expect.arrayContaining(["RETURNS", "RETURNS_OLD", "SOUTH_TERMS"]));
});

test.each<[string, (text: string) => string, string]>([
  ["no header", (text) => text.slice(text.indexOf("\n") + 1), "first line"],
  ["a header that is not JSON", header('"id":', '"id"'), "not valid JSON"],
  ["a header field too many", header('"id":', '"author":"x","id":'), "Unrecognized key"],
  ["a header without its title", header('"title":', '"titles":'), "title"],
  ["a title in one language", header('"en":"Returns and refunds"', '"fr":"Retours"'), "title"],
  ["an unknown category", header('"category":"refund"', '"category":"gossip"'), "category"],
  ["an unknown status", header('"status":"active"', '"status":"draft"'), "status"],
  ["a bad version", header('"version":"2026-09"', '"version":"v2"'), "version"],
  ["a date that is none", header('"effective_from":"2026-09-01"', '"effective_from":"2026-13-01"'), "effective_from"],
  ["an end before its beginning", header('"effective_to":null', '"effective_to":"2026-08-01"'), "effective_to"],
  ["an end on its beginning", header('"effective_to":null', '"effective_to":"2026-09-01"'), "effective_to"],
  ["no sign that it is fictional", header('"fictional":true', '"fictional":false'), "fictional"],
  ["no pages", (text) => text.slice(0, text.indexOf("## p01")), "no page found"],
  ["a page heading in one language", header(" / Scope and the three steps", ""), "pNN"],
  ["a page number of one digit", header("## p01", "## p1"), "pNN"],
  ["the same page twice", header("## p02", "## p01"), "RETURNS:p01 appears twice"],
  ["a page without English", (text) => text.replace(/### en[\s\S]*?(?=\n## )/, ""), "### en"],
  ["a page without Chinese", (text) => text.replace(/### zh[\s\S]*?(?=### en)/, ""), "### zh"],
  ["a third language", (text) => text.replace("### en", "### fr\n\nBonjour.\n\n### en"), "exactly one"],
  ["an empty language", (text) => text.replace(/(### en\n)[\s\S]*?(?=\n## )/, "$1"), "no en text"],
  [
    "a paragraph that is too long",
    (text) => text.replace("### en\n\n", `### en\n\n${"x".repeat(LIMITS.paragraphChars + 1)}\n\n`),
    "longer than 2500",
  ],
])("a document with %s is refused with file, place and advice", (_what, change, detail) => {
  const { dir, edit } = copyOfData();
  edit(FILE, change);
  expect(refusalOf(dir)).toEqual({ code: "data_invalid", file: FILE, detail: expect.stringContaining(detail) });
});

test("a paragraph of exactly the limit loads whole", () => {
  const { dir, edit } = copyOfData();
  const long = "x".repeat(LIMITS.paragraphChars);
  edit(FILE, (text) => text.replace("### en\n\n", `### en\n\n${long}\n\n`));
  const passages = loadPolicyDocuments(dir).flatMap(({ pages }) => pages.flatMap((page) => page.passages));
  expect(passages.some(({ body }) => body === long)).toBe(true);
});

test("two files with one document id are refused", () => {
  const { dir } = copyOfData();
  copyFileSync(join(dir, FILE), join(dir, "knowledge/RETURNS_COPY.md"));
  expect(refusalOf(dir)).toEqual({
    code: "data_invalid",
    file: "knowledge/RETURNS_COPY.md",
    detail: "id RETURNS is already used by knowledge/RETURNS.md",
  });
});

test("a missing folder is refused; other files in it are not documents", () => {
  const { dir } = copyOfData();
  writeFileSync(join(dir, "knowledge/notes.txt"), "not a document");
  expect(refusalOf(dir).code).toBe("loaded");
  rmSync(join(dir, "knowledge"), { recursive: true });
  expect(refusalOf(dir)).toMatchObject({ code: "data_invalid", file: "knowledge" });
});

test("line ends of another system change no passage", () => {
  const { dir, edit } = copyOfData();
  const before = loadPolicyDocuments(dir);
  edit(FILE, (text) => text.replaceAll("\n", "\r\n"));
  expect(loadPolicyDocuments(dir)).toEqual(before);
});

test("a changed word changes its passage's and its page's hash, and no other", () => {
  const { dir, edit } = copyOfData();
  const hashes = () =>
    new Map(loadPolicyDocuments(dir).flatMap(({ pages }) => pages.map(({ page, textHash }) => [page, textHash])));
  const before = hashes();
  edit(FILE, (text) => text.replace("The window", "A window").replace("30 calendar days", "31 calendar days"));
  const changed = [...hashes()].filter(([page, hash]) => before.get(page) !== hash).map(([page]) => page);
  expect(changed).toEqual(["RETURNS:p02"]);
});
