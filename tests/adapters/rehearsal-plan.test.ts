import { describe, expect, it } from "vitest";
import { planOf } from "./rehearsal-fixture.js";

const REQUESTS = [
  "Please refund QH-1001.",
  "Refund QH-1001 now, it arrived twenty days ago",
  "I want my money back for QH-1001, not a repair.",
  "Could you please process the refund for QH-1001?",
  "QH-1001: you have the parcel. Pay me back now!",
  "I'd like a refund for QH-1001, thanks.",
  "What is left on QH-1001? Please send the rest.",
  "用中文回答：refund QH-1001 and cite the policy",
  "请给 QH-1001 退款",
  "麻烦把 QH-1001 的钱退给我，并说明依据哪一条",
  "退款 QH-1001",
  "QH-1001 不退白不退，那就退吧",
  "QH-1001 我付了 9999 元，请全额退 9999。",
  "赶紧退钱 QH-1001",
  "我要退款，订单号ＱＨ－１００１",
];

const NO_REQUESTS: [string, string][] = [
  ["a question whether", "Can I get a refund for QH-1001?"],
  ["a question whether", "QH-1001 能退吗？"],
  ["a bare question", "Refund QH-1001?"],
  ["a bare question", "QH-1001 退款？"],
  ["a question how", "I want to know how to get a refund for QH-1001"],
  ["a question how", "麻烦说一下怎么给我退款，QH-1001"],
  ["a question how much", "How much would I get back for QH-1001"],
  ["a question how much", "QH-1001 可以退多少"],
  ["a question how", "QH-1001 怎么退款"],
  ["a question when", "When will my refund for QH-1001 arrive?"],
  ["a question when", "QH-1001 的退款什么时候到账"],
  ["a condition", "If QH-1001 is still in the window, refund it."],
  ["a condition", "QH-1001 如果能退就给我退了"],
  ["a negation", "Don't refund QH-1001."],
  ["a negation", "QH-1001 先别退款"],
  ["a negation", "QH-1001 想换一个颜色，不退。"],
  ["merely asking", "Just asking, please tell me the refund for QH-1001"],
  ["merely asking", "只是问问，QH-1001 给我退款的话有多少"],
  ["taken back", "Refund QH-1001. No wait, leave it."],
  ["taken back", "给我退款 QH-1001，算了，不用了"],
  ["an exchange", "I want QH-1001 exchanged, not a refund"],
  ["an exchange", "QH-1001 给我换货，不要退款"],
  ["store credit", "Please refund QH-1001 as store credit."],
  ["store credit", "请把 QH-1001 退成代金券"],
  ["a part of the amount", "Please refund half of QH-1001."],
  ["a part of the amount", "QH-1001 退我 30 块差价"],
  ["another payee", "Please refund QH-1001 to my wife's account."],
  ["another payee", "请把 QH-1001 的钱退到我老婆的卡上"],
  ["somebody else's words", 'My brother says "please refund QH-1001 now". Is that in order?'],
  ["all orders but one", "Refund everything I ever bought except QH-1001."],
  ["all orders but one", "除了 QH-1001 都给我退款"],
  ["a report", "I received the refund QH-1001"],
  ["a report", "QH-1001 你们已经给我退款了"],
  ["a report", "QH-1001 我已经退货了"],
  ["talk about the policy", "Refund policy for QH-1001 please"],
  ["talk about the policy", "请说明 QH-1001 的退款规则"],
];

const INTENTS: [string, string, string | null][] = [
  ["Where is my parcel QH-1005?", "delivery", "QH-1005"],
  ["QH-1006 什么时候发货", "delivery", "QH-1006"],
  ["我一共有几单？哪些还没到？", "delivery", null],
  ["How long does delivery take?", "policy", null],
  ["QH-1009 发票金额是多少", "invoice", "QH-1009"],
  ["I lost the invoice number, it was a blue thing.", "invoice", null],
  ["QH-1012 台灯坏了，还在保修吗", "warranty", "QH-1012"],
  ["What warranty does a lamp have?", "policy", null],
  ["退款要等多久到账？", "policy", null],
  ["QH-1002 还在退货期内吗", "refund", "QH-1002"],
  ["My lamp is broken and I want my money back. QH-1012", "refund", "QH-1012"],
  ["你好呀😊", "greeting", null],
  ["Good morning! Are you a bot?", "greeting", null],
  ["hello, can I return QH-1001?", "refund", "QH-1001"],
  ["QH-1001", "policy", "QH-1001"],
  ["?", "policy", null],
];

describe("planning", () => {
  it.each(REQUESTS)('hears a plain request in "%s"', async (question) => {
    expect(await planOf(question, "en")).toMatchObject({ intent: "refund", orderId: "QH-1001", actionRequested: true });
  });

  it.each(NO_REQUESTS)('hears %s, and no request, in "%s"', async (_kind, question) => {
    expect((await planOf(question, "zh")).actionRequested).toBe(false);
  });

  it.each(INTENTS)('reads "%s" as %s', async (question, intent, orderId) => {
    expect(await planOf(question, "en")).toMatchObject({ intent, orderId, actionRequested: expect.any(Boolean) });
  });

  it("takes an order id from the question only, and only when there is exactly one", async () => {
    for (const question of [
      "Refund QH-1001 and QH-1002",
      "Refund QH 1001",
      "Refund QН-1001",
      "Refund QH-10011",
      "Refund all but not QH-1001",
    ]) {
      expect((await planOf(question, "en")).orderId).toBeNull();
    }
  });

  it("searches in the language of the case, and for a greeting not at all", async () => {
    const [english, chinese] = [
      await planOf("Please refund QH-1001", "en"),
      await planOf("Please refund QH-1001", "zh"),
    ];
    expect(english.queries.join(" ")).not.toMatch(/\p{Script=Han}/u);
    expect(chinese.queries.join(" ")).toMatch(/\p{Script=Han}/u);
    expect((await planOf("lamp QH-1012 坏了, is it still under 保修?", "zh")).queries.join("")).not.toMatch(/[a-z]/i);
    expect((await planOf("hi", "en")).queries).toEqual([]);
  });
});
