import { beforeAll, describe, expect, it } from "vitest";
import type { Answer } from "../../src/domain/contracts.js";
import type { Language } from "../../src/domain/ids.js";
import { candidateOf, type Run, runCase, verdictOf } from "./rehearsal-fixture.js";

type Edit = (answer: Answer) => Answer;
type Planted = { defect: string; order: string; edit: Edit; feedback: RegExp; verdict?: string };

/** Changes one place of the text; the place must be there. */
function text(from: string | RegExp, to: string): Edit {
  return (answer) => {
    const changed = answer.answer.replace(from, to);
    if (changed === answer.answer) throw new Error(`"${from}" does not stand in: ${answer.answer}`);
    return { ...answer, answer: changed };
  };
}

function cite(change: (ids: string[]) => string[]): Edit {
  return (answer) => ({ ...answer, citations: change(answer.citations) });
}

const propose: Edit = (answer) => ({ ...answer, nextAction: "request_refund" });

const EN: Planted[] = [
  {
    defect: "an amount that no record holds is named",
    order: "QH-1001",
    edit: text("nothing has been paid", "a bonus of CNY 33.00 applies"),
    feedback: /CNY 33\.00/,
  },
  { defect: "the window is left out", order: "QH-1001", edit: text(/That is inside [^.]+\. /, ""), feedback: /window/ },
  {
    defect: "the warehouse receipt is left out",
    order: "QH-1001",
    edit: text(/The warehouse [^.]+\. /, ""),
    feedback: /warehouse/,
  },
  {
    defect: "the invoice total is the amount",
    order: "QH-1001",
    edit: text("amount is CNY 129.00", "amount is CNY 141.00"),
    feedback: /amount|141/,
  },
  {
    defect: "the invoice total is said to be refundable",
    order: "QH-1001",
    edit: text("is not the refund amount", "is the refund amount"),
    feedback: /invoice/i,
  },
  {
    defect: "the customer's figure is the amount",
    order: "QH-1001",
    edit: text("amount is CNY 129.00", "amount is CNY 9,999.00"),
    feedback: /9999/,
  },
  {
    defect: "freight is promised",
    order: "QH-1001",
    edit: text("is not part of the refund", "is part of the refund"),
    feedback: /freight/i,
  },
  {
    defect: "the refund is said to be paid",
    order: "QH-1001",
    edit: text("nothing has been paid", "the refund has been paid"),
    feedback: /money has moved/,
  },
  {
    defect: "the money is said to be on its way",
    order: "QH-1001",
    edit: text("nothing has been paid", "the money is on its way"),
    feedback: /money has moved/,
  },
  {
    defect: "the payment is promised",
    order: "QH-1001",
    edit: text("nothing has been paid", "you will receive CNY 129.00"),
    feedback: /money has moved/,
  },
  {
    defect: "another order is named",
    order: "QH-1001",
    edit: text("Order QH-1001", "Order QH-1002"),
    feedback: /QH-1002/,
  },
  {
    defect: "another order's date is stated",
    order: "QH-1001",
    edit: text("2026-09-05", "2026-09-02"),
    feedback: /2026-09-02/,
  },
  {
    defect: "the business date is the delivery date",
    order: "QH-1001",
    edit: text("2026-09-05", "2026-09-12"),
    feedback: /2026-09-12/,
  },
  {
    defect: "a date that no record holds is stated",
    order: "QH-1001",
    edit: text("business date 2026-09-12", "business date 2026-09-13"),
    feedback: /2026-09-13/,
  },
  {
    defect: "day 31 is called eligible",
    order: "QH-1003",
    edit: text(/The return window [^.]+\./, "That is inside the return window of 30 days, so it is eligible."),
    feedback: /outside_window/,
  },
  {
    defect: "another merchant's window is stated",
    order: "QH-1001",
    edit: text("window of 30 days", "window of 45 days"),
    feedback: /30 days/,
  },
  {
    defect: "an archived window is stated",
    order: "QH-1003",
    edit: text("window of 30 days", "window of 14 days"),
    feedback: /30 days/,
  },
  {
    defect: "a passage that was not shown is cited",
    order: "QH-1001",
    edit: cite((ids) => [...ids, "SOUTH_TERMS:p01:en:0"]),
    feedback: /SOUTH_TERMS/,
  },
  {
    defect: "a page that was not shown is named",
    order: "QH-1001",
    edit: text("That is", "By RETURNS_OLD:p01 that is"),
    feedback: /RETURNS_OLD/,
  },
  {
    defect: "a policy page is not cited",
    order: "QH-1001",
    edit: cite((ids) => ids.filter((id) => !id.startsWith("RETURNS:p03"))),
    feedback: /RETURNS:p03/,
  },
  {
    defect: "the day count is wrong",
    order: "QH-1001",
    edit: text("7 days before", "9 days before"),
    feedback: /7 days/,
  },
  {
    defect: "the day count is another number of the terms",
    order: "QH-1001",
    edit: text("7 days before", "30 days before"),
    feedback: /7 days/,
  },
  {
    defect: "the approval is left out",
    order: "QH-1001",
    edit: text(/The proposal waits [^;]+; /, "So far "),
    feedback: /approval/,
  },
  {
    defect: "a citation is invented",
    order: "QH-1001",
    edit: cite((ids) => [...ids, "get_ticket:T-1"]),
    feedback: /get_ticket:T-1/,
  },
  {
    defect: "the earlier refund is left out",
    order: "QH-1009",
    edit: text(/, minus CNY 49\.00 [^.]+/, ""),
    feedback: /CNY 49\.00/,
  },
  {
    defect: "the paid price is the amount despite an earlier refund",
    order: "QH-1009",
    edit: text("amount is CNY 80.00", "amount is CNY 129.00"),
    feedback: /CNY/,
  },
  {
    defect: "the balance is said to be refunded already",
    order: "QH-1009",
    edit: text("nothing has been paid", "CNY 80.00 was refunded"),
    feedback: /money has moved/,
  },
  { defect: "an ineligible order is proposed", order: "QH-1003", edit: propose, feedback: /outside_window/ },
  {
    defect: "a missing warehouse receipt is said to be there",
    order: "QH-1004",
    edit: text("has not registered", "has registered"),
    feedback: /receipt/,
  },
  {
    defect: "the reason is left out",
    order: "QH-1004",
    edit: text(/The warehouse [^.]+\. /, "There is no automatic refund. "),
    feedback: /return_not_received/,
  },
  {
    defect: "an eligible order is refused",
    order: "QH-1001",
    edit: text("The warehouse", "There is no automatic refund. The warehouse"),
    feedback: /eligible/,
  },
  {
    defect: "an order on its way is said to be delivered",
    order: "QH-1005",
    edit: text("is with the carrier (", "was delivered ("),
    feedback: /not delivered/,
  },
];

const ZH: Planted[] = [
  {
    defect: "an amount that no record holds is named",
    order: "QH-1001",
    edit: text("目前没有付款", "另有补偿 33 元"),
    feedback: /CNY 33\.00/,
  },
  { defect: "the window is left out", order: "QH-1001", edit: text(/这在签收后[^。]+。/, ""), feedback: /退货期限/ },
  { defect: "the warehouse receipt is left out", order: "QH-1001", edit: text(/仓库[^。]+。/, ""), feedback: /仓库/ },
  {
    defect: "the invoice total is the amount",
    order: "QH-1001",
    edit: text("可退金额为 CNY 129.00", "可退金额为 CNY 141.00"),
    feedback: /141/,
  },
  {
    defect: "the invoice total is said to be refundable",
    order: "QH-1001",
    edit: text("不是退款金额", "就是退款金额"),
    feedback: /发票/,
  },
  {
    defect: "the customer's figure is the amount",
    order: "QH-1001",
    edit: text("可退金额为 CNY 129.00", "可退金额为 9,999 元"),
    feedback: /9999/,
  },
  { defect: "freight is promised", order: "QH-1001", edit: text("不在退款范围内", "也一并退还"), feedback: /运费/ },
  {
    defect: "the refund is said to be paid",
    order: "QH-1001",
    edit: text("目前没有付款", "已退款"),
    feedback: /款项已动/,
  },
  {
    defect: "the money is said to be on its way",
    order: "QH-1001",
    edit: text("目前没有付款", "款项已到账"),
    feedback: /款项已动/,
  },
  {
    defect: "the payment is promised",
    order: "QH-1001",
    edit: text("目前没有付款", "CNY 129.00 将退给您"),
    feedback: /款项已动/,
  },
  {
    defect: "another order is named",
    order: "QH-1001",
    edit: text("订单 QH-1001", "订单 QH-1002"),
    feedback: /QH-1002/,
  },
  {
    defect: "another order's date is stated",
    order: "QH-1001",
    edit: text("2026-09-05", "2026-09-02"),
    feedback: /2026-09-02/,
  },
  {
    defect: "the business date is the delivery date",
    order: "QH-1001",
    edit: text("2026-09-05", "2026-09-12"),
    feedback: /2026-09-12/,
  },
  {
    defect: "a date that no record holds is stated",
    order: "QH-1001",
    edit: text("业务日期 2026-09-12", "业务日期 2026-09-13"),
    feedback: /2026-09-13/,
  },
  {
    defect: "day 31 is called eligible",
    order: "QH-1003",
    edit: text(/签收后 30[^。]+。/, "这在 30 天的退货期限之内，可以退款。"),
    feedback: /outside_window/,
  },
  {
    defect: "another merchant's window is stated",
    order: "QH-1001",
    edit: text("30 天的退货期限", "45 天的退货期限"),
    feedback: /30 天/,
  },
  {
    defect: "an archived window is stated",
    order: "QH-1003",
    edit: text("30 天的退货期限", "14 天的退货期限"),
    feedback: /30 天/,
  },
  {
    defect: "a passage that was not shown is cited",
    order: "QH-1001",
    edit: cite((ids) => [...ids, "SOUTH_TERMS:p01:zh:0"]),
    feedback: /SOUTH_TERMS/,
  },
  {
    defect: "a page that was not shown is named",
    order: "QH-1001",
    edit: text("这在", "按 RETURNS_OLD:p01，这在"),
    feedback: /RETURNS_OLD/,
  },
  {
    defect: "a policy page is not cited",
    order: "QH-1001",
    edit: cite((ids) => ids.filter((id) => !id.startsWith("RETURNS:p02"))),
    feedback: /RETURNS:p02/,
  },
  { defect: "the day count is wrong", order: "QH-1001", edit: text("共 7 天", "共 9 天"), feedback: /7 天/ },
  {
    defect: "the day count is another number of the terms",
    order: "QH-1001",
    edit: text("共 7 天", "共 30 天"),
    feedback: /7 天/,
  },
  {
    defect: "the approval is left out",
    order: "QH-1001",
    edit: text(/退款提案正在等待人工审核员批准，/, ""),
    feedback: /审核员/,
  },
  {
    defect: "a citation is invented",
    order: "QH-1001",
    edit: cite((ids) => [...ids, "get_ticket:T-1"]),
    feedback: /get_ticket:T-1/,
  },
  {
    defect: "the earlier refund is left out",
    order: "QH-1009",
    edit: text("，减去此前已退 CNY 49.00", ""),
    feedback: /CNY 49\.00/,
  },
  {
    defect: "the paid price is the amount despite an earlier refund",
    order: "QH-1009",
    edit: text("可退金额为 CNY 80.00", "可退金额为 CNY 129.00"),
    feedback: /CNY/,
  },
  {
    defect: "the balance is said to be refunded already",
    order: "QH-1009",
    edit: text("目前没有付款", "CNY 80.00 已退款"),
    feedback: /款项已动/,
  },
  { defect: "an ineligible order is proposed", order: "QH-1003", edit: propose, feedback: /outside_window/ },
  {
    defect: "a missing warehouse receipt is said to be there",
    order: "QH-1004",
    edit: text("仓库还没有登记收到退货", "仓库已登记收到退货"),
    feedback: /仓库收货/,
  },
  {
    defect: "the reason is left out",
    order: "QH-1004",
    edit: text(/仓库[^。]+。/, "不能自动退款。"),
    feedback: /return_not_received/,
  },
  {
    defect: "an eligible order is refused",
    order: "QH-1001",
    edit: text("仓库已", "不能自动退款。仓库已"),
    feedback: /符合/,
  },
  {
    defect: "an order on its way is said to be delivered",
    order: "QH-1005",
    edit: text("已发货（", "已签收（"),
    feedback: /尚未签收/,
  },
];

const QUESTIONS: Record<Language, (id: string) => string> = {
  en: (id) => `Please refund ${id}, and explain the invoice.`,
  zh: (id) => `请给 ${id} 退款，并说明发票。`,
};

describe.each([
  ["en", EN],
  ["zh", ZH],
] as [Language, Planted[]][])("the review of an answer in %s", (language, planted) => {
  const runs = new Map<string, Run>();

  beforeAll(async () => {
    for (const id of new Set(planted.map(({ order }) => order))) {
      runs.set(id, await runCase(QUESTIONS[language](id), { user: "alice", language }));
    }
  });

  const runOf = (id: string): Run => {
    const run = runs.get(id);
    if (run === undefined) throw new Error(`no run of ${id}`);
    return run;
  };

  it.each(planted)("finds that $defect", async ({ order, edit, feedback, verdict = "revise" }) => {
    const run = runOf(order);
    expect(await verdictOf(candidateOf(run))).toEqual({ verdict: "pass", feedback: "" });
    const review = await verdictOf(candidateOf(run, edit(run.answer)));
    expect(review.verdict).toBe(verdict);
    expect(review.feedback).toMatch(feedback);
    expect(/\p{Script=Han}/u.test(review.feedback)).toBe(language === "zh");
  });

  it("calls an answer insufficient that states records when there are none", async () => {
    const run = runOf("QH-1001");
    const bare = { ...candidateOf(run), facts: [], evidence: run.evidence };
    expect(await verdictOf(bare)).toMatchObject({ verdict: "insufficient" });
    expect(await verdictOf({ ...bare, evidence: [] })).toMatchObject({ verdict: "insufficient" });
  });

  it("calls an answer without any source insufficient", async () => {
    const claim = language === "en" ? "Every repair is free for ten years." : "所有维修十年内免费。";
    const review = await verdictOf({
      question: "?",
      facts: [],
      evidence: [],
      candidate: { answer: claim, citations: [], next_action: "answer" },
    });
    expect(review.verdict).toBe("insufficient");
  });

  it("lets an honest request for more pass, and one that tells about a foreign order not", async () => {
    const run = await runCase(QUESTIONS[language]("QH-2001"), { user: "alice", language });
    expect(await verdictOf(candidateOf(run))).toMatchObject({ verdict: "pass" });
    const told = language === "en" ? "This order belongs to somebody else." : "这是别人的订单。";
    expect(await verdictOf(candidateOf(run, { answer: told }))).toMatchObject({ verdict: "revise" });
  });

  it("lets a greeting and an uncovered question pass", async () => {
    for (const [question, covered] of [
      [language === "en" ? "Hello!" : "你好！", true],
      [language === "en" ? "What warranty covers lunar teleportation?" : "月球传送器保修多久？", false],
    ] as const) {
      const run = await runCase(question, { user: "alice", language, covered });
      expect(await verdictOf(candidateOf(run))).toMatchObject({ verdict: "pass" });
    }
  });
});
