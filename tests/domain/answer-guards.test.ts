import { expect, test } from "vitest";
import { type AnswerContext, amountsIn, centsIn, checkAnswer } from "../../src/domain/answer-guards.js";
import type { Answer } from "../../src/domain/contracts.js";
import { orderToWire } from "../../src/domain/order.js";
import { quoteToWire } from "../../src/domain/refund-policy.js";
import { order, plan, quote } from "../support/ledger-values.js";

const PASSAGES = new Map([
  ["RETURNS:p02:en:0", "The window is 30 days."],
  ["RETURNS:p03:en:0", "QH-1009 paid CNY 129.00; CNY 49.00 was refunded. A box costs CNY 8.80."],
  ["DELIVERY:p01:zh:0", "运费人民币 12.00 元。"],
]);

function contextOf(changes: Partial<AnswerContext> = {}): AnswerContext {
  const quoted = quote();
  return {
    language: "en",
    plan: plan(),
    quote: quoted,
    facts: new Map([
      ["get_order:QH-1001", JSON.stringify(orderToWire(order()))],
      ["calculate_refund:QH-1001", JSON.stringify(quoteToWire(quoted))],
    ]),
    passages: PASSAGES,
    ...changes,
  };
}

const answerOf = (text: string, changes: Partial<Answer> = {}): Answer => ({
  answer: text,
  citations: ["get_order:QH-1001"],
  nextAction: "answer",
  ...changes,
});
const codeOf = (answer: Answer, context = contextOf()): string | null => checkAnswer(answer, context)?.code ?? null;
const zh = contextOf({ language: "zh" });

test("an honest answer passes in both languages", () => {
  expect(codeOf(answerOf("CNY 129.00 can be refunded for QH-1001; a reviewer has to approve it first."))).toBeNull();
  expect(codeOf(answerOf("订单 QH-1001 可退 129.00 元，须由审核员批准。"), zh)).toBeNull();
});

test.each(["get_order:QH-1002", "RETURNS:p02:en:7", "RETURNS:p02", "https://example.com"])(
  "the citation %s was not shown",
  (id) => {
    expect(codeOf(answerOf("The window is 30 days.", { citations: [id] }))).toBe("citation_not_in_context");
  },
);

test("an answer cites something, unless it asks for what is missing", () => {
  const uncited = { citations: [] };
  expect(codeOf(answerOf("The window is 30 days.", uncited))).toBe("evidence_required");
  expect(codeOf(answerOf("Which order do you mean?", { ...uncited, nextAction: "needs_input" }))).toBeNull();
});

test.each([
  ["en", "订单可以退款，须由审核员批准。", "wrong_language"],
  ["zh", "The order can be refunded after approval.", "wrong_language"],
  ["en", "The desk stand (桌面支架) can be returned within 30 days.", null],
  ["zh", "订单 QH-1001 的 Desk stand 在 30 天期限内，可以申请退款。", null],
  ["en", "QH-1001: 30", null],
] as const)("in %s: %s", (language, text, code) => {
  expect(codeOf(answerOf(text), contextOf({ language }))).toBe(code);
});

test.each([
  ["CNY 129.00", [12_900]],
  ["CNY 129", [12_900]],
  ["cny129.5", [12_950]],
  ["¥1,290.00", [129_000]],
  ["￥１２９．００", [12_900]],
  ["RMB 8.80", [880]],
  ["人民币 129.00 元", [12_900, 12_900]],
  ["１２９元", [12_900]],
  ["129 块钱", [12_900]],
  ["49块", [4_900]],
  ["49 yuan", [4_900]],
  ["12900 cents", [12_900]],
  ["12,900 分", [12_900]],
  ["1 cent", [1]],
  ["30 days, 15 分钟, 三分之一, QH-1001, 12 months, p02", []],
  ["5 分钟后有 3 分之 2", []],
])("the amounts in %s are %j", (text, cents) => {
  expect(amountsIn(text).sort()).toEqual([...cents].sort());
});

test("amounts in records are found at any depth", () => {
  expect(centsIn('{"a":{"paid_items_cents":12900},"orders":[{"refunded_cents": 4900}],"cents":7}')).toEqual([
    12_900, 4_900,
  ]);
});

test.each([
  ["CNY 141.00 would be refunded.", "en"],
  ["You would get back 9999 yuan.", "en"],
  ["The refund is ¥９９９．００.", "en"],
  ["The refund is 12901 cents.", "en"],
  ["A box costs CNY 8.80.", "en"],
  ["可退 1,410.00 元。", "zh"],
  ["可以退您１４１元。", "zh"],
  ["可退 14101 分。", "zh"],
] as const)("an amount that nothing shown holds is refused: %s", (text, language) => {
  expect(codeOf(answerOf(text), contextOf({ language }))).toBe("amount_not_in_evidence");
});

test("amounts of facts, of the quote and of a cited passage are known; of a passage only when it is cited", () => {
  expect(codeOf(answerOf("You paid CNY 129.00 and CNY 12.00 for freight; freight back: CNY 0.00."))).toBeNull();
  const cited = { citations: ["RETURNS:p03:en:0"] };
  expect(codeOf(answerOf("A box costs CNY 8.80.", cited))).toBeNull();
  expect(
    codeOf(answerOf("运费是 12.00 元。", { citations: ["DELIVERY:p01:zh:0"] }), { ...zh, facts: new Map() }),
  ).toBeNull();
});

/** K27: one valid citation, a passing reviewer, and money that never moved. */
const CLAIMS_EN = [
  "CNY 129.00 has been refunded to your card.",
  "Your refund was issued today.",
  "We have refunded QH-1001.",
  "We've just sent the money.",
  "I refunded your order.",
  "The money is on its way.",
  "Your refund is on its way to you.",
  "CNY 129.00 has arrived in your account.",
  "The amount will be credited within 3 days.",
  "CNY 129.00 will be refunded to you tomorrow.",
  "The refund is being transferred.",
  "Your refund has already been processed and paid.",
  "The money has been returned to your card.",
  "CNY 129.00 has been refunded after the review.",
  "The refund has been issued, no further action is needed.",
];
const CLAIMS_ZH = [
  "已退款 129.00 元。",
  "退款已经到账。",
  "已为您退还 129.00 元。",
  "款项已汇出。",
  "钱已经在路上了。",
  "129.00 元已经退回您的账户。",
  "已成功退款，请查收。",
  "刚刚给您打款 129.00 元。",
  "退款 129.00 元已经打给您。",
  "款项今天会到账。",
  "已退款 129.00 元，您不需要再做什么。",
];

test.each(CLAIMS_EN)("nothing was paid, so this is refused: %s", (text) => {
  expect(codeOf(answerOf(text))).toBe("payment_claimed");
});

test.each(CLAIMS_ZH)("nothing was paid, so this is refused: %s", (text) => {
  expect(codeOf(answerOf(text), zh)).toBe("payment_claimed");
});

test("a claim hides neither among harmless sentences nor behind a heading", () => {
  expect(codeOf(answerOf("Nothing was paid before. Now your order has been refunded. Thank you."))).toBe(
    "payment_claimed",
  );
  expect(codeOf(answerOf("Result:\nCNY 129.00 has been refunded.\nThank you."))).toBe("payment_claimed");
});

test.each([
  "Nothing has been paid so far.",
  "No refund has been issued for this order.",
  "The refund has not been paid.",
  "Money is only sent after a reviewer has approved the proposal.",
  "The refund will be paid only if a reviewer approves it.",
  "Until a reviewer approves, nothing will be refunded.",
  "You paid CNY 129.00 for the items.",
  "The items have been returned to the warehouse.",
  "The parcel is on its way, it has not arrived.",
  "The amount paid for the items is CNY 129.00.",
  "Your parcel is on its way.",
  "The parcel was sent on 3 September and has arrived.",
  "The invoice was issued for this order.",
  "When a reviewer has approved it, the refund is paid once.",
])("this is harmless: %s", (text) => {
  expect(codeOf(answerOf(text))).toBeNull();
});

test.each([
  "目前没有退款记录。",
  "尚未退款，须等审核员批准。",
  "审核员批准之后才会退款。",
  "您实付 129.00 元。",
  "退款提案需要审核，未付款。",
  "商品实付金额为 129.00 元。",
  "您已支付 129.00 元。",
  "包裹已经寄出。",
])("this is harmless: %s", (text) => {
  expect(codeOf(answerOf(text), zh)).toBeNull();
});

test("an earlier refund that the records hold may be told, another amount may not", () => {
  const facts = new Map([
    ["get_order:QH-1009", JSON.stringify(orderToWire(order({ orderId: "QH-1009", refundedCents: 4_900 })))],
  ]);
  const cited = { citations: ["get_order:QH-1009"] };
  const told = contextOf({ facts });
  expect(codeOf(answerOf("CNY 49.00 was refunded earlier.", cited), told)).toBeNull();
  expect(codeOf(answerOf("CNY 129.00 was refunded earlier.", cited), told)).toBe("payment_claimed");
  expect(codeOf(answerOf("此前已退款 49.00 元。", cited), { ...told, language: "zh" })).toBeNull();
  expect(codeOf(answerOf("CNY 129.00 was refunded earlier."))).toBe("payment_claimed");
});

const requested = answerOf("CNY 129.00 can be refunded after a reviewer's approval.", {
  citations: ["RETURNS:p02:en:0", "RETURNS:p03:en:0"],
  nextAction: "request_refund",
});

test("a proposal with everything it needs passes", () => {
  expect(codeOf(requested)).toBeNull();
});

test.each([
  ["another intent", requested, contextOf({ plan: plan({ intent: "policy" }) })],
  ["no request", requested, contextOf({ plan: plan({ actionRequested: false }) })],
  ["no quote", requested, contextOf({ quote: null })],
  ["an ineligible quote", requested, contextOf({ quote: quote({ returnReceived: false }) })],
  ["only the first page cited", { ...requested, citations: ["RETURNS:p02:en:0"] }, contextOf()],
  ["only the second page cited", { ...requested, citations: ["RETURNS:p03:en:0"] }, contextOf()],
  ["facts cited, but no page", { ...requested, citations: ["get_order:QH-1001"] }, contextOf()],
] as const)("a proposal with %s is sent back", (_what, answer, context) => {
  expect(checkAnswer({ ...answer, citations: [...answer.citations] }, context)).toMatchObject({
    code: "proposal_requirements_missing",
    feedback: expect.stringContaining("request_refund is not possible"),
  });
});
