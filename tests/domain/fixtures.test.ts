import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { BusinessData, businessDataProblems, type OrderRecord } from "../../src/domain/business-data.js";
import { daysBetween } from "../../src/domain/clock.js";
import { ProfilesFile } from "../../src/domain/identity.js";
import { LIMITS } from "../../src/domain/limits.js";
import { orderFromWire } from "../../src/domain/order.js";
import { isApplicable, parsePolicyDocument } from "../../src/domain/policy-document.js";
import { type PolicyBasis, type Quote, type QuoteReason, quoteRefund } from "../../src/domain/refund-policy.js";
import { documentVersionOf, RefundRules } from "../../src/domain/refund-rules.js";

const read = (file: string): string => readFileSync(new URL(`../../data/${file}`, import.meta.url), "utf8");
const json = (file: string): unknown => JSON.parse(read(file));

const business = BusinessData.parse(json("business.json"));
const rules = RefundRules.parse(json("refund_rules.json"));
const profiles = ProfilesFile.parse(json("profiles.json")).profiles;
const returns = parsePolicyDocument(read("knowledge/RETURNS.md"));

function orderOf(id: string): OrderRecord {
  const order = business.orders.find((candidate) => candidate.order_id === id);
  if (order === undefined) throw new Error(`no order ${id}`);
  return order;
}

function basisFor(tenant: string): PolicyBasis {
  if (tenant !== rules.tenant) return { documentVersion: null, policyPages: [] };
  const policyPages = returns.pages
    .filter(({ page }) => rules.policy_pages.includes(page))
    .map(({ page, textHash }) => ({ page, textHash }));
  return { documentVersion: returns.header.version, policyPages };
}

function quoteOf(record: OrderRecord, businessDate: string = business.as_of): Quote {
  return quoteRefund(orderFromWire(record, record), rules, basisFor(record.tenant), businessDate);
}

const languages = ["zh", "en"] as const;
type Language = (typeof languages)[number];

function passage(page: string, language: Language, index: number): string {
  const found = returns.pages
    .flatMap(({ passages }) => passages)
    .find(({ id }) => id === `${page}:${language}:${index}`);
  if (found === undefined) throw new Error(`no passage ${page}:${language}:${index}`);
  return found.body;
}

const textOf = (wanted: (page: string) => boolean, language: Language): string =>
  returns.pages
    .filter(({ page }) => wanted(page))
    .flatMap(({ passages }) => passages.filter((p) => p.language === language).map((p) => p.body))
    .join("\n");
const pageText = (page: string, language: Language): string => textOf((candidate) => candidate === page, language);
const wholeText = (language: Language): string => textOf(() => true, language);

const toNumber = (digits: string | undefined): number => Number((digits ?? "").replaceAll(",", ""));
const ascending = (a: number, b: number): number => a - b;
const captured = (text: string, pattern: RegExp): string[] =>
  [
    ...new Set([...text.matchAll(pattern)].map((match) => match.slice(1).find((group) => group !== undefined) ?? "")),
  ].sort();
const numbers = (text: string, pattern: RegExp): number[] =>
  [...new Set(captured(text, pattern).map(toNumber))].sort(ascending);

const amounts = (text: string): number[] => numbers(text, /(\d{1,3}(?:,\d{3})+)/g);
const dates = (text: string): string[] => captured(text, /(\d{4}-\d\d-\d\d)/g);
const orderIds = (text: string): string[] => captured(text, /(QH-\d+)/g);
const skus = (text: string): string[] => captured(text, /([A-Z]{2,}-\d\d)(?!\d)/g);
const dayNumbers = (text: string): number[] =>
  numbers(text, /\bday (\d+)|(\d+) (?:calendar )?days|第 ?(\d+) ?天|(\d+) ?(?:个自然日|天)/g);
const minutes = (text: string): number[] => numbers(text, /(\d+) ?(?:minutes|分钟)/g);

/** Order, its customer, days since delivery, reason and amount in cents of a refund request on 2026-09-12. */
const EXPECTED: [string, string, number | null, QuoteReason, number][] = [
  ["QH-1001", "alice", 7, "eligible", 12_900],
  ["QH-1002", "alice", 30, "eligible", 17_900],
  ["QH-1003", "alice", 31, "outside_window", 0],
  ["QH-1004", "alice", 4, "return_not_received", 0],
  ["QH-1005", "alice", null, "not_delivered", 0],
  ["QH-1006", "alice", null, "not_delivered", 0],
  ["QH-1007", "alice", 5, "excluded_category", 0],
  ["QH-1008", "alice", 2, "excluded_category", 0],
  ["QH-1009", "alice", 10, "eligible", 8_000],
  ["QH-1010", "alice", 12, "already_refunded", 0],
  ["QH-1011", "alice", null, "not_delivered", 0],
  ["QH-1012", "alice", 90, "outside_window", 0],
  ["QH-2001", "bob", 7, "eligible", 12_900],
  ["QH-2002", "bob", 30, "eligible", 17_900],
  ["QH-2003", "bob", 31, "outside_window", 0],
  ["QH-2004", "bob", 4, "return_not_received", 0],
  ["QH-2005", "bob", null, "not_delivered", 0],
  ["QH-2006", "bob", null, "not_delivered", 0],
  ["QH-3001", "lin", 7, "merchant_requires_manual_review", 0],
  ["QH-3002", "lin", 30, "merchant_requires_manual_review", 0],
  ["QH-3003", "lin", 31, "merchant_requires_manual_review", 0],
  ["QH-3004", "lin", 4, "merchant_requires_manual_review", 0],
  ["QH-3005", "lin", null, "merchant_requires_manual_review", 0],
  ["QH-3006", "lin", null, "merchant_requires_manual_review", 0],
];

describe("the demonstration data", () => {
  test("has 24 orders, 6 products and 5 profiles, and says that it is fictional", () => {
    expect([business.orders.length, business.products.length, profiles.length]).toEqual([24, 6, 5]);
    expect([business.fictional, business.as_of]).toEqual([true, "2026-09-12"]);
    expect(profiles.map(({ tenant, user, role }) => `${user} ${tenant} ${role}`)).toEqual([
      "alice qinghe customer",
      "bob qinghe customer",
      "chen qinghe reviewer",
      "lin south customer",
      "mei south reviewer",
    ]);
  });

  test("gives 12 orders to alice, 6 to bob and 6 to lin, each under the customer's own merchant", () => {
    const owned = (user: string) => business.orders.filter((order) => order.user === user).length;
    expect([owned("alice"), owned("bob"), owned("lin")]).toEqual([12, 6, 6]);
    const customers = profiles.filter(({ role }) => role === "customer").map(({ tenant, user }) => `${tenant}/${user}`);
    for (const { tenant, user } of business.orders) expect(customers).toContain(`${tenant}/${user}`);
  });

  test("satisfies the arithmetic of every order, the cancelled one included", () => {
    expect(businessDataProblems(business)).toEqual([]);
    expect(orderOf("QH-1011")).toMatchObject({ status: "cancelled", paid_items_cents: 0, invoice: { state: "void" } });
  });

  test("has one shipment event per order, in the order's own status and, once delivered, on its delivery date", () => {
    for (const order of business.orders) {
      const date = order.delivered_on ?? "2026-09-11";
      expect(order.shipment?.events, order.order_id).toEqual([{ status: order.status, date }]);
    }
  });

  test.each([129.5, true, "100", -1, Number.MAX_SAFE_INTEGER + 1])("refuses %s as an amount of cents", (bad) => {
    const order = { ...orderOf("QH-1001"), paid_items_cents: bad };
    expect(BusinessData.safeParse({ ...business, orders: [order] }).success).toBe(false);
  });
});

describe("a defect in the data is reported by record and field", () => {
  type Change = { invoice?: Record<string, unknown> | null; [field: string]: unknown };

  function problemsAfter(id: string, change: Change): string[] {
    const orders = business.orders.map((order) => {
      if (order.order_id !== id) return order;
      const invoice = change.invoice === null ? null : { ...order.invoice, ...change.invoice };
      return { ...order, ...change, invoice };
    });
    return businessDataProblems(BusinessData.parse({ ...business, orders })).map((p) => `${p.record} ${p.field}`);
  }

  const defects: [string, string, Change, string][] = [
    ["an unknown SKU", "QH-1001", { sku: "SOFA-99" }, "sku"],
    ["a category other than the product's", "QH-1001", { category: "custom" }, "category"],
    ["a paid price that is not list price minus discount", "QH-1001", { discount_cents: 1 }, "paid_items_cents"],
    [
      "a charge on a cancelled order",
      "QH-1011",
      { shipping_cents: 1, invoice: { total_cents: 1 } },
      "paid_items_cents",
    ],
    ["more refunded than paid", "QH-1001", { refunded_cents: 12_901 }, "refunded_cents"],
    ["a delivered order without a delivery date", "QH-1001", { delivered_on: null }, "delivered_on"],
    ["a delivery date on an order still travelling", "QH-1005", { delivered_on: "2026-09-10" }, "delivered_on"],
    ["a delivery after the business date", "QH-1001", { delivered_on: "2026-09-13" }, "delivered_on"],
    ["an invoice under another id", "QH-1001", { invoice_id: "INV-1002" }, "invoice_id"],
    ["an invoice id without its invoice", "QH-1001", { invoice: null }, "invoice_id"],
    ["an invoice total without the freight", "QH-1001", { invoice: { total_cents: 12_900 } }, "invoice.total_cents"],
    ["a void invoice on a delivered order", "QH-1001", { invoice: { state: "void" } }, "invoice.state"],
    ["an issued invoice on a cancelled order", "QH-1011", { invoice: { state: "issued" } }, "invoice.state"],
  ];
  test.each(defects)("%s", (_what, id, change, field) => {
    expect(problemsAfter(id, change)).toEqual([`${id} ${field}`]);
  });

  test("an order id that appears twice", () => {
    const twice = { ...business, orders: [...business.orders, orderOf("QH-1001")] };
    expect(businessDataProblems(twice)).toEqual([{ record: "QH-1001", field: "id", problem: "appears twice" }]);
  });

  test("a SKU that appears twice", () => {
    const twice = { ...business, products: [...business.products, ...business.products.slice(0, 1)] };
    expect(businessDataProblems(twice)).toEqual([{ record: "DESK-01", field: "id", problem: "appears twice" }]);
  });
});

describe("a refund request", () => {
  test.each(EXPECTED)("for %s by %s, %s days after delivery, is %s with %i cents", (id, user, days, reason, cents) => {
    const quote = quoteOf(orderOf(id));
    expect(orderOf(id).user).toBe(user);
    expect(quote).toMatchObject({
      daysSinceDelivery: days,
      reason,
      amountCents: cents,
      eligible: reason === "eligible",
    });
    expect(quote.shippingRefundCents).toBe(0);
  });

  test("has an expected outcome for every order", () => {
    expect(EXPECTED.map(([id]) => id)).toEqual(business.orders.map((order) => order.order_id));
  });

  test("for two pieces goes to a human with amount 0, though one piece of the same order is eligible", () => {
    const quote = quoteOf({ ...orderOf("QH-1001"), quantity: 2 });
    expect(quote).toMatchObject({ reason: "quantity_needs_human", eligible: false, amountCents: 0 });
  });

  test("is judged by the terms in force on its own day, also for a delivery before they began", () => {
    const august = orderOf("QH-1002");
    expect((august.delivered_on ?? "") < returns.header.effective_from).toBe(true);
    expect(quoteOf(august)).toMatchObject({ termsBy: "request_date", documentVersion: "2026-09", reason: "eligible" });
    expect(passage("RETURNS:p02", "en", 0)).toMatch(/terms in force on the day of your request/);
    expect(passage("RETURNS:p02", "zh", 0)).toMatch(/适用哪一版条款，看提出申请的那一天/);
  });
});

describe("the returns policy", () => {
  test("has 4 pages with 3 paragraphs in each language", () => {
    const shape = returns.pages.flatMap(({ page, passages }) => [
      page,
      ...passages.map(({ id }) => id.slice(page.length)),
    ]);
    const three = [":zh:0", ":zh:1", ":zh:2", ":en:0", ":en:1", ":en:2"];
    expect(shape).toEqual(["p01", "p02", "p03", "p04"].flatMap((number) => [`RETURNS:${number}`, ...three]));
  });

  test("is the edition the refund rules restate, in force on the business date, with both mandatory pages", () => {
    expect(returns.header.version).toBe(documentVersionOf(rules));
    expect(isApplicable(returns.header, rules.tenant, business.as_of)).toBe(true);
    expect(basisFor(rules.tenant).policyPages.map(({ page }) => page)).toEqual(["RETURNS:p02", "RETURNS:p03"]);
  });

  test("states the same amounts, dates, orders, products and days in both languages of a page", () => {
    for (const { page } of returns.pages) {
      for (const found of [amounts, dates, orderIds, skus, dayNumbers, minutes]) {
        expect(found(pageText(page, "zh")), `${page} ${found.name}`).toEqual(found(pageText(page, "en")));
      }
    }
  });

  test("names orders of its own merchant and products of the catalogue only, and puts each on the right side", () => {
    const ofCategory = (excluded: boolean) =>
      business.products
        .filter(({ category }) => rules.excluded_categories.some((name) => name === category) === excluded)
        .map(({ sku }) => sku)
        .sort();
    for (const language of languages) {
      for (const id of orderIds(wholeText(language))) expect(orderOf(id).tenant).toBe(rules.tenant);
      expect(skus(pageText("RETURNS:p01", language))).toEqual([...ofCategory(false), ...ofCategory(true)].sort());
      expect(skus(passage("RETURNS:p03", language, 2))).toEqual(ofCategory(true));
    }
  });

  test("speaks of 30 days, of day 31 as too late, and of 15 minutes, as the rules and limits do", () => {
    const worked = [7, rules.return_days, rules.return_days + 1];
    for (const language of languages) {
      expect(dayNumbers(passage("RETURNS:p02", language, 0))).toEqual([0, rules.return_days, rules.return_days + 1]);
      expect(dayNumbers(wholeText(language))).toEqual([0, ...worked]);
      expect(minutes(wholeText(language))).toEqual([LIMITS.approvalMs / 60_000]);
    }
    expect([rules.return_days, LIMITS.approvalMs]).toEqual([30, 15 * 60_000]);
  });

  test("gives worked dates that agree with the orders", () => {
    const example = /(QH-\d{4})(?:(?!QH-).)*?(\d{4}-\d\d-\d\d)(?:(?!QH-).)*?(?:day |第 )(\d+)/gs;
    for (const language of languages) {
      const found = [...passage("RETURNS:p02", language, 2).matchAll(example)].map(([, id, date, day]) => [
        id,
        date,
        day,
      ]);
      const worked = ["QH-1001", "QH-1002", "QH-1003"].map((id) => {
        const date = orderOf(id).delivered_on ?? "";
        return [id, date, String(daysBetween(date, business.as_of))];
      });
      expect(found).toEqual(worked);
      const deliveries = worked.map(([, date]) => date);
      expect(dates(wholeText(language))).toEqual([returns.header.effective_from, business.as_of, ...deliveries].sort());
    }
  });

  test("gives worked amounts that agree with the orders, and mentions no other amount anywhere", () => {
    const [whole, partly, spent] = [orderOf("QH-1001"), orderOf("QH-1009"), orderOf("QH-1010")];
    const ofWhole = [whole.paid_items_cents, whole.invoice?.total_cents ?? 0, whole.shipping_cents];
    const ofPartly = [partly.paid_items_cents, partly.refunded_cents, quoteOf(partly).amountCents];
    expect([ofWhole, ofPartly]).toEqual([
      [12_900, 14_100, 1_200],
      [12_900, 4_900, 8_000],
    ]);
    for (const language of languages) {
      const parts = passage("RETURNS:p03", language, 1)
        .split(/(?=QH-)/)
        .filter((part) => part.startsWith("QH-"));
      expect(parts.map((part) => part.slice(0, 7))).toEqual(["QH-1001", "QH-1009", "QH-1010"]);
      expect(parts.map(amounts)).toEqual(
        [ofWhole, ofPartly, [spent.refunded_cents]].map((list) => list.sort(ascending)),
      );
      expect(amounts(wholeText(language))).toEqual([...new Set([...ofWhole, ...ofPartly])].sort(ascending));
    }
  });

  test("writes every amount in yuan and in cents alike, and subtracts correctly", () => {
    for (const language of languages) {
      const text = wholeText(language);
      const pairs = [...text.matchAll(/(?:CNY|人民币) (\d+\.\d\d) ?元?[ （(]+([\d,]+) (?:cents|分)[）)]/g)];
      expect(pairs.length).toBe(text.match(/\d+\.\d\d(?!\d)/g)?.length);
      for (const [, yuan, cents] of pairs) expect(Math.round(Number(yuan) * 100)).toBe(toNumber(cents));
      const [, paid, refunded, left] = /([\d,]+) − ([\d,]+) = ([\d,]+)/.exec(text) ?? [];
      expect(toNumber(paid) - toNumber(refunded)).toBe(toNumber(left));
    }
  });

  test("sends a quantity other than one to a human and refunds no freight, in both languages", () => {
    expect(passage("RETURNS:p03", "zh", 0)).toMatch(/运费（邮费）的退款固定为 0.*数量不是 1.*转人工/);
    expect(passage("RETURNS:p03", "en", 0)).toMatch(/freight .* fixed at 0.*quantity is not one.*human takes over/);
  });
});

describe("the refund procedure", () => {
  const file = /^---\n(.*?)\n---\n(.*)$/s.exec(read("skills/refund/SKILL.md"));
  const bodies = (file?.[2] ?? "").split(/^## (zh|en)$/m).slice(1);
  const body = { zh: bodies[1] ?? "", en: bodies[3] ?? "" };

  test("is listed in the manifest and described in one line", () => {
    expect(json("skills/manifest.json")).toMatchObject({
      skills: expect.arrayContaining([{ name: "refund", file: "refund/SKILL.md" }]),
    });
    expect(parseYaml(file?.[1] ?? "")).toEqual({ name: "refund", description: expect.stringMatching(/^.{40,300}$/) });
  });

  test.each(languages)(
    "in %s keeps within the length limit, takes its amount from calculate_refund and cites both pages",
    (language) => {
      expect([bodies[0], bodies[2], bodies.length]).toEqual(["zh", "en", 4]);
      expect(body[language].length).toBeLessThanOrEqual(LIMITS.skillBodyChars);
      for (const word of ["calculate_refund", "get_order", "p02", "p03", "request_refund"]) {
        expect(body[language]).toContain(word);
      }
    },
  );

  test.each(languages)(
    "in %s never promises a payment: money and its execution are named only to forbid them",
    (language) => {
      const sentences = body[language].split(/(?<=[.。!?！？])\s*|\n/);
      const touchy = sentences.filter((s) => /execute_refund|arrived|been paid|on its way|到账|已退款|路上/.test(s));
      expect(touchy.length).toBeGreaterThan(0);
      for (const sentence of touchy) expect(sentence).toMatch(/^(Never |不可以)/);
      expect(body[language]).not.toMatch(
        /guarantee|will (be (paid|refunded)|receive|refund|pay)|保证|一定会|将会?(退|到|打)/i,
      );
    },
  );
});
