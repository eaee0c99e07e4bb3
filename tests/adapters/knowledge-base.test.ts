import { expect, test } from "vitest";
import { createKnowledgeBase } from "../../src/adapters/knowledge-base.js";
import { loadPolicyDocuments } from "../../src/adapters/policy-documents.js";
import { TenantId } from "../../src/domain/ids.js";
import { type PolicyDocument, parsePolicyDocument } from "../../src/domain/policy-document.js";
import type { KnowledgeScope } from "../../src/domain/ports.js";
import { DATA } from "../support/ledger-data.js";
import { BUSINESS_DATE, QINGHE } from "../support/ledger-values.js";

const documents = loadPolicyDocuments(DATA);
const knowledge = createKnowledgeBase({ documents, businessDate: BUSINESS_DATE });
const SOUTH = TenantId.parse("south");
const en: KnowledgeScope = { tenant: QINGHE, language: "en" };
const zh: KnowledgeScope = { tenant: QINGHE, language: "zh" };
const idsFound = async (scope: KnowledgeScope, query: string): Promise<string[]> =>
  (await knowledge.search(scope, query)).passages.map(({ id }) => id);

const idsOf = (document: PolicyDocument, language: string): string[] =>
  document.pages.flatMap(({ passages }) =>
    passages.filter((passage) => passage.language === language).map(({ id }) => id),
  );
const bodyOf = (id: string): string =>
  documents.flatMap(({ pages }) => pages.flatMap(({ passages }) => passages)).find((passage) => passage.id === id)
    ?.body ?? "";

const closed = documents.filter(({ header: { id } }) => id === "RETURNS_OLD" || id === "SOUTH_TERMS");

test.each(closed.flatMap((document) => idsOf(document, "en")))(
  "%s of an archived edition or another merchant is found by no query, not even by its own words, and read by no id",
  async (id) => {
    const found = await idsFound(en, bodyOf(id).slice(0, 400));
    expect(found.filter((hit) => /^(RETURNS_OLD|SOUTH_TERMS):/.test(hit))).toEqual([]);
    expect(await knowledge.read(en, id)).toBeNull();
    expect(await knowledge.page(en, id.slice(0, id.lastIndexOf(":en")))).toEqual({ passages: [], header: null });
  },
);

test("another merchant finds its own terms and nothing of ours", async () => {
  const scope = { tenant: SOUTH, language: "en" } as const;
  const found = await idsFound(scope, "returns within how many days");
  expect(found.length).toBeGreaterThan(0);
  expect(found.every((id) => id.startsWith("SOUTH_TERMS:"))).toBe(true);
  expect(await knowledge.read(scope, "RETURNS:p02:en:0")).toBeNull();
});

test("a merchant without documents finds nothing, and that is an answer", async () => {
  const scope = { tenant: TenantId.parse("north"), language: "en" } as const;
  expect(await knowledge.search(scope, "refund")).toEqual({ passages: [], covered: false });
});

test("a scope holds one language", async () => {
  expect((await idsFound(en, "refund warehouse receipt")).every((id) => id.includes(":en:"))).toBe(true);
  expect((await idsFound(zh, "退款 仓库 收货")).every((id) => id.includes(":zh:"))).toBe(true);
  expect(await knowledge.read(en, "RETURNS:p02:zh:0")).toBeNull();
});

test.each([
  ["2026-08-31", 0],
  ["2026-09-01", 1],
])("on %s the terms in force since 1 September are applied %i times", async (businessDate, count) => {
  const base = createKnowledgeBase({ documents, businessDate });
  expect([await base.read(en, "RETURNS:p02:en:0")].filter((passage) => passage !== null)).toHaveLength(count);
});

const QUERIES = [
  "refund",
  "how long is the return window",
  "freight and invoice",
  "warranty months repair",
  "when will my parcel arrive",
];

test.each(QUERIES)("%s: four passages at most, two of a page at most, best first, ties by id", async (query) => {
  const { passages } = await knowledge.search(en, query);
  expect(passages.length).toBeGreaterThan(0);
  expect(passages.length).toBeLessThanOrEqual(4);
  const perPage = new Map<string, number>();
  for (const { page } of passages) perPage.set(page, (perPage.get(page) ?? 0) + 1);
  expect(Math.max(...perPage.values())).toBeLessThanOrEqual(2);
  const ordered = [...passages].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
  expect(passages.map(({ id }) => id)).toEqual(ordered.map(({ id }) => id));
});

test.each(QUERIES)(
  "%s: every start of the program finds the same, whatever order the documents were read in",
  async (query) => {
    const reversed = createKnowledgeBase({ documents: [...documents].reverse(), businessDate: BUSINESS_DATE });
    const again = await reversed.search(en, query);
    expect(again.passages.map(({ id }) => id)).toEqual(await idsFound(en, query));
  },
);

/** Two documents with the same words: only the id can decide. */
function twin(id: string): PolicyDocument {
  const header = {
    id,
    title: { zh: "同", en: "Twin" },
    category: "refund",
    tenant: "qinghe",
    status: "active",
    version: "2026-09",
    effective_from: "2026-09-01",
    effective_to: null,
    fictional: true,
  };
  const page = "## p01 同 / Same\n\n### zh\n\n同样的文字。\n\n### en\n\nExactly the same quarantine words.\n";
  return parsePolicyDocument(`<!-- ${JSON.stringify(header)} -->\nx\n\n${page}`);
}

test("passages of equal score are ordered by id", async () => {
  for (const order of [
    ["TWIN_B", "TWIN_A"],
    ["TWIN_A", "TWIN_B"],
  ]) {
    const base = createKnowledgeBase({ documents: order.map(twin), businessDate: BUSINESS_DATE });
    const found = await base.search(en, "quarantine");
    expect(found.passages.map(({ id }) => id)).toEqual(["TWIN_A:p01:en:0", "TWIN_B:p01:en:0"]);
  }
});

test.each([
  ["en", "What is the return window?", "RETURNS:p02"],
  ["en", "Is freight refunded?", "RETURNS:p03"],
  ["en", "how many months of warranty", "WARRANTY:"],
  ["zh", "退货期限是多少天", "RETURNS:p02"],
  ["zh", "运费能退吗", "RETURNS:p03"],
  ["zh", "退款", "RETURNS:"],
  ["zh", "发票抬头", "INVOICES:"],
] as const)("in %s, %s leads to %s", async (language, query, page) => {
  const { passages } = await knowledge.search({ tenant: QINGHE, language }, query);
  expect(passages.some(({ id }) => id.startsWith(page))).toBe(true);
});

test.each(["", "   ", "?!", "\"' OR 1=1 --", "NEAR(a b) AND *", "xyzzyplugh"])(
  "the query %j breaks nothing",
  async (query) => {
    const { passages } = await knowledge.search(en, query);
    expect(passages.length).toBeLessThanOrEqual(4);
  },
);

test.each(["", "RETURNS:p02", "RETURNS:p02:en:99", "../RETURNS", "constructor", "__proto__"])(
  "there is no passage %j",
  async (id) => {
    expect(await knowledge.read(en, id)).toBeNull();
  },
);

test("a page in force comes with all its passages and its header", async () => {
  const { passages, header } = await knowledge.page(en, "RETURNS:p02");
  expect(passages.map(({ id }) => id)).toEqual(["RETURNS:p02:en:0", "RETURNS:p02:en:1", "RETURNS:p02:en:2"]);
  expect(header?.version).toBe("2026-09");
});
