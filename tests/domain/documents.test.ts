import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BusinessData, type OrderRecord, type ProductRecord } from "../../src/domain/business-data.js";
import { daysBetween } from "../../src/domain/clock.js";
import { LIMITS } from "../../src/domain/limits.js";
import { type Passage, parsePolicyDocument } from "../../src/domain/policy-document.js";
import { documentVersionOf, RefundRules } from "../../src/domain/refund-rules.js";

const dataDir = new URL("../../data/", import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, dataDir), "utf8");
const json = (file: string): unknown => JSON.parse(read(file));

const business = BusinessData.parse(json("business.json"));
const rules = RefundRules.parse(json("refund_rules.json"));
const documents = readdirSync(new URL("knowledge/", dataDir))
  .filter((file) => file.endsWith(".md"))
  .map((file) => ({ file, ...parsePolicyDocument(read(`knowledge/${file}`)) }));
const passages = documents.flatMap(({ pages }) => pages.flatMap((page) => page.passages));
const active = documents
  .filter(({ header }) => header.tenant === rules.tenant && header.status === "active")
  .flatMap(({ pages }) => pages.flatMap((page) => page.passages));

const languages = ["zh", "en"] as const;
type Language = (typeof languages)[number];

/** The one figure no record holds: the usual delivery range is set by DELIVERY:p02 itself. */
const DELIVERY_RANGE = "3–5";

/** Every amount of money a page names, in the order in which both languages name them. */
const AMOUNTS: Record<string, [string, ...Figure[]][]> = {
  "INVOICES:p01": [["QH-1001", "total", "paid", "shipping"]],
  "INVOICES:p04": [["QH-1009", "paid", "refunded", "balance", "total", "total"]],
  "RETURNS:p03": [
    ["QH-1001", "paid", "total", "shipping", "paid", "total"],
    ["QH-1009", "paid", "refunded", "paid", "refunded", "balance", "balance"],
    ["QH-1010", "paid"],
  ],
};
type Figure = "paid" | "shipping" | "refunded" | "total" | "balance";

function orderOf(id: string | undefined): OrderRecord {
  const order = business.orders.find((candidate) => candidate.order_id === id);
  if (order === undefined) throw new Error(`no order ${id}`);
  return order;
}

function productOf(sku: string | undefined): ProductRecord {
  const product = business.products.find((candidate) => candidate.sku === sku);
  if (product === undefined) throw new Error(`no product ${sku}`);
  return product;
}

function figure(order: OrderRecord, name: Figure): number {
  const { paid_items_cents: paid, shipping_cents: shipping, refunded_cents: refunded } = order;
  return { paid, shipping, refunded, total: order.invoice?.total_cents ?? 0, balance: paid - refunded }[name];
}

const age = (order: OrderRecord): number | null =>
  order.delivered_on === null ? null : daysBetween(order.delivered_on, business.as_of);

const SHAPES = {
  page: /\b[A-Z_]+:p\d\d|\bp\d\d(?!\d)/,
  record: /\b(?:QH|INV|DEMO)-\d+/,
  sku: /\b[A-Z]{2,12}-\d\d(?!\d)/,
  date: /\d{4}-\d\d-\d\d/,
  money: /CNY \d+\.\d\d \([\d,]+ cents\)|人民币 \d+\.\d\d 元（[\d,]+ 分）/,
  cents: /\d{1,3}(?:,\d{3})+/,
  range: /\d+–\d+ ?(?:working days|个工作日)/,
  ordinal: /\bday \d+|第 \d+ 天/,
  days: /\d+[ -](?:calendar )?days?\b|\d+ (?:个自然日|天)/,
  months: /\d+ (?:months|个月)/,
  minutes: /\d+ (?:minutes|分钟)/,
  other: /\d[\d.,]*(?<=\d)/,
} as const;
type Shape = keyof typeof SHAPES;
const anyNumber = new RegExp(
  Object.entries(SHAPES)
    .map(([name, shape]) => `(?<${name}>${shape.source})`)
    .join("|"),
  "g",
);

/** A number as the text writes it, with the order it is said of (the last one named before it) and its clause. */
type Claim = { shape: Shape; text: string; values: number[]; about: string | undefined; clause: string };

function claimsIn(body: string): Claim[] {
  let about: string | undefined;
  return [...body.matchAll(anyNumber)].map((match) => {
    const text = match[0];
    if (/^QH-/.test(text)) about = text;
    const shape = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0] as Shape;
    const start = Math.max(...["; ", ". ", "。", "；"].map((end) => body.lastIndexOf(end, match.index)));
    const clause = body.slice(start + 1).split(/; |\. |\.$|。|；/, 1)[0] ?? "";
    const values = (text.match(/\d[\d,.]*/g) ?? []).map((digits) => Number(digits.replaceAll(",", "")));
    return { shape, text, values, about, clause };
  });
}

const claims = active.flatMap((passage) => claimsIn(passage.body).map((claim) => ({ ...claim, passage })));
const claimsOf = (...shapes: Shape[]) => claims.filter(({ shape }) => shapes.includes(shape));
const textOf = (page: string, language: Language): string =>
  active
    .flatMap((passage) => (passage.page === page && passage.language === language ? [passage.body] : []))
    .join("\n");
const captured = (pattern: RegExp, language: Language): string[][] =>
  active
    .filter((passage) => passage.language === language)
    .flatMap(({ body }) => [...body.matchAll(pattern)].map((match) => match.slice(1)));

describe("the policy documents", () => {
  test("eight documents hold 28 pages and 152 passages: 144 in force for Qinghe, four of another merchant, four archived", () => {
    expect(
      documents.map(({ header: h }) => [h.id, h.version, h.tenant, h.status, h.category, h.effective_from]),
    ).toEqual([
      ["AGREEMENT", "2026-09", "qinghe", "active", "agreement", "2026-09-01"],
      ["DELIVERY", "2026-09", "qinghe", "active", "delivery", "2026-09-01"],
      ["INVOICES", "2026-09", "qinghe", "active", "invoice", "2026-09-01"],
      ["PLAYBOOK", "2026-09", "qinghe", "active", "procedure", "2026-09-01"],
      ["RETURNS", "2026-09", "qinghe", "active", "refund", "2026-09-01"],
      ["RETURNS_OLD", "2026-07", "qinghe", "archived", "refund", "2026-07-01"],
      ["SOUTH_TERMS", "2026-09", "south", "active", "refund", "2026-09-01"],
      ["WARRANTY", "2026-09", "qinghe", "active", "warranty", "2026-09-01"],
    ]);
    for (const { file, header, pages } of documents) {
      const small = header.tenant !== rules.tenant || header.status === "archived";
      expect(file).toBe(`${header.id}.md`);
      expect(pages.map(({ page }) => page)).toEqual(
        ["p01", "p02", "p03", "p04"].slice(0, small ? 2 : 4).map((page) => `${header.id}:${page}`),
      );
      expect(pages.map((page) => page.passages.length)).toEqual(pages.map(() => (small ? 2 : 6)));
    }
    const count = (language: Language): number => active.filter((passage) => passage.language === language).length;
    expect([passages.length, count("zh"), count("en")]).toEqual([152, 72, 72]);
    expect(new Set(passages.map(({ id }) => id)).size).toBe(152);
  });

  test("the refund rules belong to the edition of the terms in force", () => {
    const terms = documents.find(({ header }) => header.id === "RETURNS");
    expect(documentVersionOf(rules)).toBe(terms?.header.version);
    expect(rules.policy_pages.filter((page) => !terms?.pages.some((candidate) => candidate.page === page))).toEqual([]);
  });

  test("every paragraph is written in the language it is filed under", () => {
    const share = ({ body }: Passage): number =>
      (body.match(/\p{Script=Han}/gu)?.length ?? 0) / (body.match(/\p{L}/gu)?.length ?? 1);
    expect(passages.filter((p) => (p.language === "zh" ? share(p) < 0.6 : share(p) > 0)).map(({ id }) => id)).toEqual(
      [],
    );
  });

  test("no two paragraphs of a language are near copies of each other", () => {
    const shingles = ({ body, language }: Passage): Set<string> => {
      const text = body.replaceAll(anyNumber, "");
      const units = language === "zh" ? [...text.replaceAll(/[\s\p{P}]/gu, "")] : text.toLowerCase().match(/[a-z]+/g);
      return new Set((units ?? []).map((_, index, all) => all.slice(index, index + 3).join(" ")));
    };
    const sets = passages.map((passage) => ({ ...passage, set: shingles(passage) }));
    const close = sets.flatMap((a, index) =>
      sets.slice(index + 1).flatMap((b) => {
        if (a.language !== b.language) return [];
        const shared = [...a.set].filter((shingle) => b.set.has(shingle)).length;
        return shared / Math.min(a.set.size, b.set.size) > 0.25 ? [`${a.id} and ${b.id}`] : [];
      }),
    );
    expect(close).toEqual([]);
  });
});

describe("the numbers in the terms in force", () => {
  test("no page in force gives the archived window or another merchant's", () => {
    const foreign =
      /\b(?:14|45|fourteen|forty-five)[ -](?:calendar )?days?\b|(?:14|45|十四|四十五) ?(?:天|日|个自然日)/i;
    expect(active.filter(({ body }) => foreign.test(body)).map(({ id }) => id)).toEqual([]);
  });

  test("periods are written in digits, so that each can be compared with the data", () => {
    const words =
      /\b(?:two|three|four|five|six|seven|ten|twelve|fifteen|thirty)[ -](?:calendar |working )?(?:days?|months?|minutes?|hours?)\b|[二两三四五六七八九十]+ ?(?:个月|个?工作日|个?自然日|天|分钟|小时)/i;
    expect(active.filter(({ body }) => words.test(body)).map(({ id }) => id)).toEqual([]);
  });

  test("every order, invoice, shipment, product and page that is named exists at Qinghe", () => {
    const own = business.orders.filter(({ tenant }) => tenant === rules.tenant);
    const known = [
      ...own.flatMap((order) => [order.order_id, order.invoice_id, order.shipment?.tracking_id]),
      ...business.products.map(({ sku }) => sku),
      ...active.flatMap(({ page }) => [page, page.split(":")[1]]),
    ];
    expect(claimsOf("record", "sku", "page").filter(({ text }) => !known.includes(text))).toEqual([]);
  });

  test.each(languages)("the playbook sends a return case to exactly the pages a quote rests on (%s)", (language) => {
    const given = claimsOf("page").filter(
      ({ passage }) => passage.page === "PLAYBOOK:p01" && passage.language === language,
    );
    expect(given.map(({ text }) => text)).toEqual(rules.policy_pages);
  });

  test.each(languages)("every amount is the order's own figure, in cents and in yuan alike (%s)", (language) => {
    const named = claimsOf("money", "cents", "other").flatMap(({ shape, values, about, clause, passage }) => {
      const [first = 0, cents = first] = values;
      const quantity = shape === "other" && /数量|quantity/.test(clause) && first === rules.automatic_quantity;
      const nothing = shape === "other" && first === 0;
      if (passage.language !== language || quantity || nothing) return [];
      const order = about ?? AMOUNTS[passage.page]?.[0]?.[0];
      const amount = shape === "cents" ? first : Math.round(first * 100);
      return [{ page: passage.page, order, amount, cents: shape === "money" ? cents : amount }];
    });
    const expected = Object.entries(AMOUNTS).flatMap(([page, orders]) =>
      orders.flatMap(([order, ...figures]) =>
        figures.map((name) => ({ page, order, amount: figure(orderOf(order), name) })),
      ),
    );
    expect(named).toEqual(expected.map((item) => ({ ...item, cents: item.amount })));
  });

  test("every date is the business date, the start of the terms, or the delivery date of the order it is said of", () => {
    const starts = documents.map(({ header }) => header.effective_from);
    const wrong = claimsOf("date").filter(({ text, about }) => {
      const delivered = about === undefined ? null : orderOf(about).delivered_on;
      return ![business.as_of, ...starts, delivered].includes(text);
    });
    expect(wrong).toEqual([]);
  });

  test.each(languages)("the worked examples give each order's own delivery date and age (%s)", (language) => {
    const pages = { "RETURNS:p02": ["QH-1001", "QH-1002", "QH-1003"], "WARRANTY:p01": ["QH-1012"] };
    for (const [page, ids] of Object.entries(pages)) {
      const given = claims.filter(({ passage }) => passage.page === page && passage.language === language);
      for (const order of ids.map(orderOf)) {
        const said = given.filter(({ about }) => about === order.order_id);
        expect(said.map(({ text }) => text)).toContain(order.delivered_on);
        const daysSaid = said
          .filter(({ shape }) => shape === "ordinal" || shape === "days")
          .map(({ values }) => values[0]);
        expect(daysSaid).toContain(age(order));
      }
    }
  });

  test("every number of days is the return window, its edge, or the age of the order it is said of", () => {
    const wrong = claimsOf("days", "ordinal").filter(({ shape, values: [value], about }) => {
      const edges = shape === "ordinal" ? [0, rules.return_days, rules.return_days + 1] : [rules.return_days];
      return ![...edges, about === undefined ? null : age(orderOf(about))].includes(value ?? -1);
    });
    expect(wrong).toEqual([]);
  });

  test.each(languages)(
    "the last day inside the window and the first one outside follow the refund rules (%s)",
    (language) => {
      const text = textOf("RETURNS:p02", language);
      const inside = [...text.matchAll(/day (\d+)(?: is|,) still inside|第 (\d+) 天(?:，)?仍在期内/g)];
      const outside = [
        ...text.matchAll(/day (\d+)(?: is|,) outside|[Ff]rom day (\d+) on|第 (\d+) 天(?:，|起)超出期限/g),
      ];
      const day = (match: RegExpMatchArray): number => Number(match.slice(1).find((group) => group !== undefined));
      expect([...new Set(inside.map(day))]).toEqual([rules.return_days]);
      expect([...new Set(outside.map(day))]).toEqual([rules.return_days + 1]);
    },
  );

  test("every number of warranty months is that of the products, or the order, it is said of", () => {
    const wrong = claimsOf("months").filter(({ values, about, clause }) => {
      const skus = clause.match(new RegExp(SHAPES.sku, "g")) ?? [orderOf(about).sku];
      return skus.some((sku) => productOf(sku).warranty_months !== values[0]);
    });
    expect(wrong).toEqual([]);
  });

  test.each(languages)("the warranty page gives the months of every product in the catalogue (%s)", (language) => {
    const given = claimsOf("months").filter(({ passage }) => passage.id === `WARRANTY:p01:${language}:0`);
    const skus = given.flatMap(({ clause }) => clause.match(new RegExp(SHAPES.sku, "g")) ?? []);
    expect(skus.sort()).toEqual(business.products.map(({ sku }) => sku as string).sort());
  });

  test("a proposal's life and the usual delivery range are the same wherever they stand", () => {
    const life = `${LIMITS.approvalMs / 60_000}`;
    const said = claimsOf("minutes", "range").map(({ shape, text, passage }) => [
      shape,
      passage.language,
      text.split(" ")[0],
    ]);
    expect(new Set(said.map(String))).toEqual(
      new Set(languages.flatMap((language) => [`minutes,${language},${life}`, `range,${language},${DELIVERY_RANGE}`])),
    );
  });

  test.each(languages)("the status of an order and of its invoice is the recorded one (%s)", (language) => {
    const orders = captured(
      /(?:status of )?(QH-\d{4})(?:(?!QH-)[^.。；])*?(?:,| |，)(?:is|状态是|的状态是) (processing|shipped|delivered|cancelled)\b/g,
      language,
    );
    expect(orders.filter(([id, status]) => orderOf(id).status !== status)).toEqual([]);
    expect([...new Set(orders.map(([id]) => id))].sort()).toEqual(["QH-1005", "QH-1006", "QH-1011"]);
    const invoices = captured(/(QH-\d{4})(?:(?!QH-)[^.。；])*?(?:invoice is|发票状态是) (issued|void)\b/g, language);
    expect(invoices.filter(([id, state]) => orderOf(id).invoice?.state !== state)).toEqual([]);
    expect(invoices.map(([id]) => id)).toEqual(["QH-1011"]);
  });

  test.each(languages)("an example that names an order calls its product by the catalogue's name (%s)", (language) => {
    const names = business.products.map(({ sku, name }) => ({ sku, name: name[language].toLowerCase() }));
    const sentences = active
      .filter((passage) => passage.language === language)
      .flatMap(({ body }) => body.toLowerCase().split(/\. |。/))
      .map((sentence) => ({ sentence, ids: sentence.toUpperCase().match(/QH-\d{4}/g) ?? [] }));
    const named = sentences.flatMap(({ sentence, ids }) =>
      names.filter(({ name }) => ids.length === 1 && sentence.includes(name)).map(({ sku }) => [ids[0], sku]),
    );
    expect(named.filter(([id, sku]) => orderOf(id).sku !== sku)).toEqual([]);
    expect(named.map(([id]) => id).sort()).toEqual(["QH-1005", "QH-1012"]);
  });
});
