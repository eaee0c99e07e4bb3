import { describe, expect, it } from "vitest";
import { OrderRecord } from "../../src/domain/business-data.js";
import { parseAnswer } from "../../src/domain/contracts.js";
import { pageOf } from "../../src/domain/evidence.js";
import type { Language } from "../../src/domain/ids.js";
import { formatCny } from "../../src/domain/money.js";
import { COMPOSE_PROMPT } from "../../src/nodes/prompts/compose.js";
import {
  ask,
  candidateOf,
  type Desk,
  factsOf,
  hostDefect,
  must,
  passagesOf,
  recordOf,
  rules,
  runCase,
  verdictOf,
} from "./rehearsal-fixture.js";

/** Order, days since delivery, reason, refundable cents, and one word per language that its explanation cannot do without. */
const OUTCOMES: [string, number | null, string, number, string, string][] = [
  ["QH-1001", 7, "eligible", 12_900, "window", "期限"],
  ["QH-1002", 30, "eligible", 17_900, "window", "期限"],
  ["QH-1003", 31, "outside_window", 0, "ended with day 30", "第 30 天为止"],
  ["QH-1004", 4, "return_not_received", 0, "warehouse", "仓库"],
  ["QH-1005", null, "not_delivered", 0, "shipped", "已发货"],
  ["QH-1006", null, "not_delivered", 0, "processing", "处理"],
  ["QH-1007", 5, "excluded_category", 0, "custom", "定制"],
  ["QH-1008", 2, "excluded_category", 0, "digital", "数字"],
  ["QH-1009", 10, "eligible", 8_000, "CNY 49.00 that was refunded earlier", "此前已退 CNY 49.00"],
  ["QH-1010", 12, "already_refunded", 0, "nothing is left", "没有余额"],
  ["QH-1011", null, "not_delivered", 0, "cancelled", "已取消"],
  ["QH-1012", 90, "outside_window", 0, "90 days", "90 天"],
  ["QH-2001", 7, "eligible", 12_900, "window", "期限"],
  ["QH-2002", 30, "eligible", 17_900, "window", "期限"],
  ["QH-2003", 31, "outside_window", 0, "31 days", "31 天"],
  ["QH-2004", 4, "return_not_received", 0, "warehouse", "仓库"],
  ["QH-2005", null, "not_delivered", 0, "shipped", "已发货"],
  ["QH-2006", null, "not_delivered", 0, "processing", "处理"],
  ...["QH-3001", "QH-3002", "QH-3003", "QH-3004", "QH-3005", "QH-3006"].map(
    (id): [string, null, string, number, string, string] => [
      id,
      null,
      "merchant_requires_manual_review",
      0,
      "manual",
      "人工",
    ],
  ),
];

const REQUEST: Record<Language, (id: string) => string> = {
  en: (id) => `Please refund ${id}.`,
  zh: (id) => `请给我办理 ${id} 的退款。`,
};
const QUESTION: Record<Language, (id: string) => string> = {
  en: (id) => `Can I get a refund for ${id}, and how much?`,
  zh: (id) => `${id} 能退吗？可以退多少？`,
};
const LANGUAGES: Language[] = ["en", "zh"];
const MANUAL = { pages: ["SOUTH_TERMS:p01", "SOUTH_TERMS:p02"] };

function deskOf(id: string, language: Language): Desk {
  const { user, tenant } = recordOf(id);
  return { user, language, ...(tenant === rules.tenant ? {} : MANUAL) };
}

describe.each(LANGUAGES)("a refund case in %s", (language) => {
  it.each(OUTCOMES)("%s: a request ends as its order's record says", async (id, days, reason, cents, en, zh) => {
    const run = await runCase(REQUEST[language](id), deskOf(id, language));
    expect(run.plan).toMatchObject({ intent: "refund", orderId: id, actionRequested: true });
    expect(run.turns.map(({ calls }) => calls.map(({ name }) => name))).toEqual([
      ["get_order", "search_knowledge"],
      ["calculate_refund"],
      [],
    ]);
    expect(run.quote).toMatchObject({ reason, amountCents: cents });
    expect(run.answer.nextAction).toBe(reason === "eligible" ? "request_refund" : "answer");
    expect(run.answer.answer).toContain(language === "en" ? en : zh);
    expect(run.answer.answer).toContain(id);
    const pages = recordOf(id).tenant === rules.tenant ? rules.policy_pages : ["SOUTH_TERMS:p02"];
    expect(run.answer.citations.map(pageOf)).toEqual(expect.arrayContaining(pages));
    expect(run.answer.citations).toEqual(expect.arrayContaining([`get_order:${id}`, `calculate_refund:${id}`]));
    if (reason === "eligible") {
      expect(run.answer.answer).toContain(formatCny(cents));
      expect(run.answer.answer).toContain(`${days} ${language === "en" ? "days" : "天"}`);
    }
    expect(hostDefect(run, language)).toBeNull();
    expect(await verdictOf(candidateOf(run))).toEqual({ verdict: "pass", feedback: "" });
  });

  it.each(OUTCOMES)("%s: a question proposes nothing", async (id, _days, reason, cents) => {
    const run = await runCase(QUESTION[language](id), deskOf(id, language));
    expect(run.plan).toMatchObject({ intent: "refund", orderId: id, actionRequested: false });
    expect(run.answer.nextAction).toBe("answer");
    if (reason === "eligible") {
      expect(run.answer.answer).toContain(formatCny(cents));
      expect(run.answer.answer).toContain(language === "en" ? `please refund ${id}` : `请退款 ${id}`);
    }
    expect(hostDefect(run, language)).toBeNull();
    expect(await verdictOf(candidateOf(run))).toEqual({ verdict: "pass", feedback: "" });
  });

  it("the sentence that tells how to ask is itself understood as a request", async () => {
    const run = await runCase(QUESTION[language]("QH-1001"), { user: "alice", language });
    const advice = /(please refund QH-1001|请退款 QH-1001)/.exec(run.answer.answer)?.[0] ?? "";
    expect((await runCase(advice, { user: "alice", language })).answer.nextAction).toBe("request_refund");
  });

  it("an amount the customer names changes nothing and is not repeated", async () => {
    const claim =
      language === "en"
        ? "I paid 9,999. Please refund QH-1001 and send me 9,999."
        : "QH-1001 我付了 9999 元，请全额退 9999。";
    const run = await runCase(claim, { user: "alice", language });
    expect(run.answer.nextAction).toBe("request_refund");
    expect(run.answer.answer).toContain("CNY 129.00");
    expect(run.answer.answer).toContain(language === "en" ? "from the order record" : "以订单记录为准");
    expect(run.answer.answer).not.toMatch(/9,?999/);
    expect(await verdictOf(candidateOf(run))).toMatchObject({ verdict: "pass" });
  });

  it("the invoice total is named only when the invoice was read, and only as what is not refunded", async () => {
    const plain = await runCase(REQUEST[language]("QH-1001"), { user: "alice", language });
    expect(plain.answer.answer).toContain("CNY 12.00");
    expect(plain.answer.answer).not.toContain("CNY 141.00");
    const asked =
      language === "en" ? "Please refund QH-1001, my invoice says 141.00." : "请给 QH-1001 退款，发票上是 141 元。";
    const explained = await runCase(asked, { user: "alice", language });
    expect(explained.turns[1]?.calls.map(({ name }) => name)).toEqual(["calculate_refund", "get_invoice"]);
    expect(explained.answer.answer).toMatch(
      language === "en" ? /total of CNY 141\.00 is not/ : /总额 CNY 141\.00 不是/,
    );
    expect(explained.answer.citations).toContain("get_invoice:QH-1001");
  });

  it("an absent order and foreign orders get one and the same answer without any id", async () => {
    const answers = await Promise.all(
      ["QH-9999", "QH-2001", "QH-3001"].map((id) => runCase(REQUEST[language](id), { user: "alice", language })),
    );
    const texts = answers.map(({ answer }) => JSON.stringify(answer));
    expect(new Set(texts).size).toBe(1);
    expect(answers[0]?.answer).toMatchObject({ nextAction: "needs_input", citations: [] });
    expect(texts[0]).not.toMatch(/QH-\d|exist|存在|unknown|未知/);
    expect(texts[0]).toMatch(language === "en" ? /check the number/ : /核对/);
    expect(answers.flatMap(({ turns }) => turns.flatMap(({ calls }) => calls.map(({ name }) => name)))).not.toContain(
      "calculate_refund",
    );
    expect(answers.map(({ plan }) => plan.orderId)).toEqual(["QH-9999", "QH-2001", "QH-3001"]);
  });

  it.each(["get_order", "calculate_refund"])("a record that %s could not read is unknown, not absent", async (tool) => {
    const run = await runCase(REQUEST[language]("QH-1001"), { user: "alice", language, down: [tool] });
    expect(run.answer).toMatchObject({ nextAction: "needs_input", citations: [] });
    expect(run.answer.answer).toContain(language === "en" ? "unknown" : "未知");
    expect(run.answer.answer).not.toMatch(/exist|存在/);
    expect(await verdictOf(candidateOf(run))).toMatchObject({ verdict: "pass" });
  });

  it("a refund request without exactly one order asks for one", async () => {
    for (const question of language === "en"
      ? ["Refund it now please", "Refund QH-1001 and QH-1002"]
      : ["请给我退款", "QH-1001 和 QH-1002 都退了吧"]) {
      const run = await runCase(question, { user: "alice", language });
      expect(run.plan).toMatchObject({ intent: "refund", orderId: null });
      expect(run.turns).toHaveLength(1);
      expect(run.answer).toMatchObject({ nextAction: "needs_input", citations: [] });
    }
  });

  it.each([
    ["QH-1004", "p02", 1],
    ["QH-1007", "p03", 2],
    ["QH-1003", "p02", 0],
  ])("%s: the passage of %s that the reason rests on is cited", async (id, page, index) => {
    const run = await runCase(REQUEST[language](id), { user: "alice", language });
    expect(run.answer.citations).toContain(`RETURNS:${page}:${language}:${index}`);
  });

  it("nothing is proposed or stated when a record or a policy page is not what it should be", async () => {
    const { compose } = await runCase(REQUEST[language]("QH-1001"), { user: "alice", language });
    const spoil = (change: (data: Record<string, unknown>) => Record<string, unknown>) =>
      factsOf(compose).map(({ source_id, data }) => ({
        source_id,
        data: source_id.startsWith("get_order") ? change(data) : data,
      }));
    const spoiled: Record<string, unknown>[] = [
      { evidence: passagesOf(["RETURNS:p02"], language) },
      { facts: spoil((data) => ({ ...data, order_id: "QH-1002" })) },
      { facts: spoil((data) => ({ ...data, paid_items_cents: 129.5 })) },
      { facts: spoil((data) => ({ ...data, refunded_cents: -1 })) },
      { facts: [] },
    ];
    for (const change of spoiled) {
      const answer = must(parseAnswer(await ask(COMPOSE_PROMPT, { ...compose, ...change })));
      expect(answer).toMatchObject({ nextAction: "needs_input", citations: [] });
      expect(answer.answer).not.toMatch(/\d\d/);
    }
  });

  it("a quote that is not among the facts is not cited as one", async () => {
    const { compose } = await runCase(REQUEST[language]("QH-1001"), { user: "alice", language });
    const facts = factsOf(compose).filter(({ source_id }) => source_id.startsWith("get_order"));
    const answer = must(parseAnswer(await ask(COMPOSE_PROMPT, { ...compose, facts })));
    expect(answer.answer).toContain("CNY 129.00");
    expect(answer.citations).not.toContain("calculate_refund:QH-1001");
  });

  it("an order that nobody has seen before is answered from its own facts", async () => {
    const strange = OrderRecord.parse({
      ...recordOf("QH-1009"),
      order_id: "QH-7777",
      list_price_cents: 23_456,
      discount_cents: 1_111,
      paid_items_cents: 22_345,
      shipping_cents: 987,
      refunded_cents: 2_040,
      delivered_on: "2026-08-24",
    });
    const run = await runCase(REQUEST[language]("QH-7777"), { user: "alice", language, extra: [strange] });
    expect(run.answer.nextAction).toBe("request_refund");
    expect(run.answer.answer).toContain("QH-7777");
    expect(run.answer.answer).toContain("2026-08-24");
    expect(run.answer.answer).toContain(language === "en" ? "19 days" : "19 天");
    expect(run.answer.answer).toContain("CNY 203.05");
    expect(run.answer.answer).toContain("CNY 9.87");
    expect(await verdictOf(candidateOf(run))).toEqual({ verdict: "pass", feedback: "" });
  });
});
