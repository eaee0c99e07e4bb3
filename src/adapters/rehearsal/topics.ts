/** Owns the topics of a question: the words that name each, and what to search and do for it. */
import type { Intent, Language } from "./case-view.js";
import { asksForRefund, plainText } from "./read-question.js";

type Topic = Exclude<Intent, "greeting" | "policy">;

/** The first that matches decides. A plain refund request comes before all of them; without an order a refund is a matter of policy. */
const TOPIC_WORDS: readonly (readonly [Topic, RegExp])[] = [
  ["invoice", /\binvoice|\binv-\d|\bbilled\b|\bcharged?\b|\btax\b|发票|开票|抬头/u],
  ["refund", /\brefund|money back|退(?!货)/u],
  [
    "warranty",
    /warrant|guarantee|\brepair|\bbroken?\b|\bbroke\b|defect|faulty|turn on|(?:doesn't|not|stopped) work|保修|质保|维修|修理|寄修|返修|坏了|漏电|不亮|故障/u,
  ],
  [
    "refund",
    /\brefund|money back|reimburs|\bpay\b|\b(?:get|give|want)\b.{0,20}\bback\b|\breturn(?:s|ed|ing)?\b(?!:| document)|\bowe\b|back to me|balance|退|差价|返还|还我|期限|期内|window/u,
  ],
  [
    "delivery",
    /where(?: is|'s)\b|track|courier|carrier|parcel|package|deliver|dispatch|shipp|address|arriv|\beta\b|transit|\blost\b|crushed|\bbox\b|物流|快递|发货|送到|送达|到货|签收|没收到|没到|包裹|揽件|派送|地址|到哪|我的订单|几单|哪些订单|取消|\bmy orders\b/u,
  ],
];
const OWN_RECORDS = /\bmy\b|我的|我(?:一共)?有/u;
const ASKS = /[?？]|^(?:how|what|can|do|does|is|are|which|when|where|why|may)\b|吗|多少|多久|几|怎么|如何|什么|哪/u;
const GREETING =
  /\b(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|thanks?|thank you|bye|how are you|who are you|are you (?:a |an |there)?(?:ro)?(?:bot|human|person|machine|ai)?|before anything else|nice to meet you|there|everyone|today)(?![a-z])|你好|您好|在吗|早上好|下午好|晚上好|哈喽|嗨|谢谢|再见|辛苦了|你是(?:谁|机器人|真人|人工)/gu;

export function intentOf(question: string): Intent {
  if (asksForRefund(question)) return "refund";
  const text = plainText(question);
  if (isSmallTalk(text)) return "greeting";
  const topic = TOPIC_WORDS.find(([, words]) => words.test(text))?.[0] ?? null;
  if (topic === null) return "policy";
  if (text.includes("thisorder")) return topic;
  const ownRecords = topic === "delivery" && OWN_RECORDS.test(text);
  return topic === "refund" || (ASKS.test(text) && !ownRecords) ? "policy" : topic;
}

function isSmallTalk(text: string): boolean {
  const rest = text.replace(GREETING, " ").replace(/[呀啊呢吗哦你您们]/gu, " ");
  return rest !== text && !/[\p{L}\p{N}]/u.test(rest);
}

/** Whether the question wants the refundable balance explained. */
export function mentionsRefund(question: string): boolean {
  return /refund|\bowe\b|balance|money back|退|差价/u.test(plainText(question));
}

/** Whether the invoice helps to explain a refund. */
export function mentionsInvoice(question: string): boolean {
  return /\binvoice|freight|shipping|postage|explain|\bwhy\b|total|发票|运费|邮费|说明|解释|依据|总额/u.test(
    plainText(question),
  );
}

export function mentionsDanger(question: string): boolean {
  return /smoke|smell|burn|spark|electric|shock|overheat|\bhot\b|open (?:it|up)|take (?:it )?apart|漏电|打手|冒烟|焦味|烧|烫|火花|拆/u.test(
    plainText(question),
  );
}

/** What to search for a refund: in the words of terms rather than of the customer. */
export const REFUND_QUERY: Readonly<Record<Language, string>> = {
  en: "return window, warehouse receipt, refund amount and freight",
  zh: "退货期限 仓库收货 退款金额 运费",
};

export const MILESTONES: Readonly<Record<Intent, Readonly<Record<Language, readonly string[]>>>> = {
  refund: {
    en: ["Read the order", "Read both policy pages", "Calculate the refund", "Explain the result"],
    zh: ["读取订单", "阅读两页条款", "计算退款", "说明结果"],
  },
  delivery: {
    en: ["Read the order and its shipment", "State the last event"],
    zh: ["读取订单和物流", "说明最近一次事件"],
  },
  invoice: { en: ["Read the order and its invoice", "Explain the amounts"], zh: ["读取订单和发票", "说明各项金额"] },
  warranty: {
    en: ["Read the order and the product", "Search the warranty terms"],
    zh: ["读取订单和商品", "检索保修条款"],
  },
  policy: { en: ["Search the terms", "Answer with a citation"], zh: ["检索条款", "引用条款作答"] },
  greeting: { en: [], zh: [] },
};
