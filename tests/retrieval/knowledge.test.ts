import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createKnowledgeBase } from "../../src/adapters/knowledge-base.js";
import { loadPolicyDocuments } from "../../src/adapters/policy-documents.js";
import { loadSynonyms } from "../../src/adapters/synonyms.js";
import { TenantId } from "../../src/domain/ids.js";
import { ROOT } from "../support/workspace.js";

const DATA = join(ROOT, "data");
const qinghe = TenantId.parse("qinghe");
const south = TenantId.parse("south");
const documents = loadPolicyDocuments(DATA);
const knowledge = createKnowledgeBase({ documents, businessDate: "2026-09-12", synonyms: () => loadSynonyms(DATA) });

const pagesOf = async (query: string, language: "zh" | "en", tenant = qinghe): Promise<string[]> =>
  (await knowledge.search({ tenant, language }, query)).passages.map(({ page }) => page);
const coveredBy = async (query: string, language: "zh" | "en") =>
  (await knowledge.search({ tenant: qinghe, language }, query)).covered;

describe("what is found", () => {
  it.each([
    ["can I send back the mug", "en", "RETURNS:p03"],
    ["postage refund?", "en", "RETURNS:p03"],
    ["where is my parcel", "en", "DELIVERY:p01"],
    ["is the ebook covered by a guarantee", "en", "WARRANTY:p01"],
    ["my lamp stays dark", "en", "WARRANTY:p02"],
    ["the bill has the wrong company name", "en", "INVOICES:p03"],
    ["杯子能退吗", "zh", "RETURNS:p03"],
    ["邮费退不退", "zh", "RETURNS:p03"],
    ["我的包裹到哪了", "zh", "DELIVERY:p01"],
    ["电子书保修多久", "zh", "WARRANTY:p01"],
    ["台灯打不开", "zh", "WARRANTY:p02"],
    ["发票抬头写错了", "zh", "INVOICES:p03"],
  ] as const)('everyday words lead to the page: "%s" (%s) finds %s', async (query, language, page) => {
    expect(await pagesOf(query, language)).toContain(page);
  });

  it.each([
    ["Can I get a refund for my order?", "en"],
    ["I want a refund", "en"],
    ["我想退款", "zh"],
    ["这个订单可以退款吗", "zh"],
  ] as const)('a plain refund question finds window and amount: "%s"', async (query, language) => {
    expect(await pagesOf(query, language)).toEqual(expect.arrayContaining(["RETURNS:p02", "RETURNS:p03"]));
  });

  it("a light typo finds what the right word finds", async () => {
    expect(await pagesOf("how long is the waranty on the lamp", "en")).toContain("WARRANTY:p01");
    expect(await pagesOf("wher is my parcle", "en")).toContain("DELIVERY:p01");
  });

  it("a mixed question is searched in the case's language with the words of both", async () => {
    expect(await pagesOf("我的 parcel 什么时候到", "zh")).toEqual(expect.arrayContaining(["DELIVERY:p02"]));
    expect((await pagesOf("lamp 坏了还在 warranty 吗", "zh")).some((page) => page.startsWith("WARRANTY"))).toBe(true);
  });

  it("at most four passages, at most two of one page, equal scores in the order of ids, the same every time", async () => {
    for (const query of ["refund", "退款", "invoice amount freight", "保修 维修", "order", "订单"]) {
      const language = /\p{Script=Han}/u.test(query) ? "zh" : "en";
      const first = await knowledge.search({ tenant: qinghe, language }, query);
      expect(first.passages.length).toBeLessThanOrEqual(4);
      const perPage = new Map<string, number>();
      for (const { page } of first.passages) perPage.set(page, (perPage.get(page) ?? 0) + 1);
      expect(Math.max(...perPage.values())).toBeLessThanOrEqual(2);
      const again = createKnowledgeBase({
        documents: [...documents].reverse(),
        businessDate: "2026-09-12",
        synonyms: () => loadSynonyms(DATA),
      });
      expect((await again.search({ tenant: qinghe, language }, query)).passages.map(({ id }) => id)).toEqual(
        first.passages.map(({ id }) => id),
      );
    }
  });
});

describe("what may be found", () => {
  it("never an archived text, another merchant's, another language's, or terms not yet in force", async () => {
    for (const query of ["14 days refund window", "45 days human review", "refund"]) {
      for (const page of await pagesOf(query, "en")) expect(page).not.toMatch(/^(RETURNS_OLD|SOUTH_TERMS)/);
    }
    expect((await pagesOf("refund 45 days", "en", south)).sort()).toEqual(["SOUTH_TERMS:p01", "SOUTH_TERMS:p02"]);
    const early = createKnowledgeBase({ documents, businessDate: "2026-08-01" });
    expect((await early.search({ tenant: qinghe, language: "en" }, "refund")).passages).toEqual([]);
    for (const { language } of (await knowledge.search({ tenant: qinghe, language: "zh" }, "退款")).passages)
      expect(language).toBe("zh");
  });

  it.each(["RETURNS_OLD:p01:en:0", "SOUTH_TERMS:p01:en:0", "RETURNS:p02:zh:0", "RETURNS:p99:en:0", "nonsense"])(
    "%s cannot be read by its id either",
    async (id) => {
      expect(await knowledge.read({ tenant: qinghe, language: "en" }, id)).toBeNull();
    },
  );
});

describe("what the documents do not cover", () => {
  it.each([
    ["What is the cheapest lamp you sell right now?", "en"],
    ["'; DROP TABLE orders; --", "en"],
    ["Can you recommend a restaurant nearby?", "en"],
    ["附近有什么好吃的餐厅", "zh"],
    ["退款要等多久到账", "zh"],
  ] as const)('does not look covered: "%s"', async (query, language) => {
    expect(await coveredBy(query, language)).toBe(false);
  });

  it("while a question they do answer does", async () => {
    expect(await coveredBy("How many days do I have to return an item?", "en")).toBe(true);
    expect(await coveredBy("运费退吗", "zh")).toBe(true);
  });
});

it("a data directory without word groups still finds the documents' own words", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-words-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(DATA, folder, { recursive: true });
  rmSync(join(folder, "synonyms.json"));
  const plain = createKnowledgeBase({
    documents: loadPolicyDocuments(folder),
    businessDate: "2026-09-12",
    synonyms: () => loadSynonyms(folder),
  });
  const { passages } = await plain.search({ tenant: qinghe, language: "en" }, "warehouse receipt window");
  expect(z.array(z.string()).parse(passages.map(({ page }) => page))).toContain("RETURNS:p02");
});
