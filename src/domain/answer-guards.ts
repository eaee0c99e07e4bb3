/** Owns what code checks in an answer after a model wrote it: citations, amounts, claims of payment, language, and what a proposal needs. */
import type { Answer, Plan } from "./contracts.js";
import type { ErrorCode } from "./errors.js";
import { pageOf } from "./evidence.js";
import type { Language } from "./ids.js";
import { normaliseText } from "./order-ids.js";
import type { Quote } from "./refund-policy.js";

export type AnswerContext = {
  language: Language;
  plan: Plan;
  quote: Quote | null;
  /** Fact source ids with their JSON text. */
  facts: ReadonlyMap<string, string>;
  /** Texts of the passages that were shown, by id. */
  passages: ReadonlyMap<string, string>;
};

export type AnswerDefect = { code: ErrorCode; feedback: string };

/** The first thing wrong with an answer, with what to tell its writer, or null. */
export function checkAnswer(answer: Answer, context: AnswerContext): AnswerDefect | null {
  return (
    checkCitations(answer, context) ??
    checkLanguage(answer.answer, context.language) ??
    checkAmounts(answer, context) ??
    checkPaymentClaims(answer.answer, context) ??
    checkProposal(answer, context)
  );
}

function checkCitations(answer: Answer, { facts, passages }: AnswerContext): AnswerDefect | null {
  const unknown = answer.citations.find((id) => !facts.has(id) && !passages.has(id));
  if (unknown !== undefined) {
    return { code: "citation_not_in_context", feedback: "Cite only ids that are in the data, exactly as given." };
  }
  if (answer.citations.length === 0 && answer.nextAction !== "needs_input") {
    return { code: "evidence_required", feedback: "Cite at least one fact or passage that the answer rests on." };
  }
  return null;
}

const HAN = /\p{Script=Han}/gu;
const LETTER = /\p{L}/gu;

function checkLanguage(text: string, language: Language): AnswerDefect | null {
  const letters = text.match(LETTER)?.length ?? 0;
  const share = letters === 0 ? 0 : (text.match(HAN)?.length ?? 0) / letters;
  const fits = language === "zh" ? share >= 0.3 : share <= 0.2;
  const name = language === "zh" ? "Chinese" : "English";
  return fits ? null : { code: "wrong_language", feedback: `Write the answer in ${name}.` };
}

const NUMBER = "([0-9][0-9,]*(?:\\.[0-9]{1,2})?)";
const YUAN = [
  new RegExp(`(?:CNY|RMB|¥|人民币|yuan)\\s*${NUMBER}`, "gi"),
  new RegExp(`${NUMBER}\\s*(?:元|块钱|块(?![\\p{L}])|CNY|RMB|yuan)`, "giu"),
];
const CENTS = new RegExp(`${NUMBER}\\s*(?:cents?\\b|分(?!钟|之|别|析|期|类|享|开))`, "gi");

/** Every amount of money a text names, in cents. */
export function amountsIn(text: string): number[] {
  const plain = normaliseText(text);
  const read = (pattern: RegExp, factor: number): number[] =>
    [...plain.matchAll(pattern)].map((match) => Math.round(Number((match[1] ?? "").replaceAll(",", "")) * factor));
  return [...YUAN.flatMap((pattern) => read(pattern, 100)), ...read(CENTS, 1)];
}

/** Every value under a key that ends in `_cents`, at any depth. */
export function centsIn(json: string): number[] {
  return [...json.matchAll(/"[a-z_]*_cents":\s*([0-9]+)/g)].map((match) => Number(match[1]));
}

function checkAmounts(answer: Answer, { facts, passages, quote }: AnswerContext): AnswerDefect | null {
  const cited = answer.citations.flatMap((id) => amountsIn(passages.get(id) ?? ""));
  const known = new Set([
    ...[...facts.values()].flatMap(centsIn),
    ...(quote === null ? [] : [quote.amountCents, 0]),
    ...cited,
  ]);
  if (amountsIn(answer.answer).every((cents) => known.has(cents))) return null;
  return {
    code: "amount_not_in_evidence",
    feedback:
      "Name only amounts that are in the facts, the quote or a cited passage; the customer's own figures are none of these.",
  };
}

/** Says that it happened. Only words up to the claim itself can take that back: what follows is an explanation of it. */
const DONE = [
  /\b(has|have|had|was|were|been|got)\s+(\w+\s+){0,2}(refunded|paid|sent|transferred|credited|returned to your|issued|reimbursed|deposited)\b/i,
  /\b(we|i)('ve| have| just| already)?\s+(\w+\s+)?(refunded|paid|sent|transferred|credited|issued)\b/i,
  /\b(has arrived|have arrived|arrived in your)\b/i,
  /(已经?|成功|刚刚|已为您)[^，。！？；]{0,6}(退款|退还|退回|打款|付款|支付|转账|到账|汇出|退给|打给)/,
];
/** Says that it is happening or will happen; a condition anywhere in the sentence makes it a rule. */
const COMING = [
  /\b(is|are|being)\s+(\w+\s+){0,2}(refunded|paid|sent|transferred|credited|returned to your|issued|reimbursed|deposited)\b/i,
  /\b(on its way|in your account|will be (paid|refunded|credited|sent|transferred))\b/i,
  /(款项?|钱|退款)[^，。！？；]{0,6}(到账|在路上|汇出|打出|原路退回了)/,
  /(将|马上|即将|很快)[^，。！？；]{0,6}(退款|退还|退回|退给|打款|转账)/,
];
/** Words that turn such a sentence into a condition, a negation or a record of what the customer paid. */
const HARMLESS =
  /\b(no|not|nothing|never|nobody|neither|isn't|hasn't|haven't|wasn't|until|unless|before|once|after|if|when|only|cannot|can't|customer reports?|you (say|said|paid)|paid (for|items)|amount paid|was paid for|you (have|had) paid)\b|没有|尚未|还未|未曾|并未|未(?!来)|不(?!久)|才|之前|以前|(批准|审核|审批|通过|同意|确认)[^，。；]{0,4}后|须|需要|待|如果|只有|顾客(说|称|反映)|您(说|提到)|实付|支付的|(您|顾客|订单)[^，。；]{0,4}(支付|付款)/i;
/** Parcels and invoices are sent and arrive as well. */
const ABOUT_GOODS = /\b(parcels?|packages?|shipments?|courier|goods|items?|deliver(y|ed)|invoices?|orders?)\b/i;
const ABOUT_MONEY = /\b(refund(s|ed)?|money|amount|funds|payment|cny|rmb|yuan|cents|reimbursed|credited|card)\b|¥/i;
const EARLIER = /\b(earlier|already|previous(ly)?|before|to date|so far|in full)\b|此前|之前|先前|早前|曾|已/i;

function claimsPayment(sentence: string): boolean {
  if (ABOUT_GOODS.test(sentence) && !ABOUT_MONEY.test(sentence)) return false;
  const done = DONE.some((claim) => {
    const match = claim.exec(sentence);
    return match !== null && !HARMLESS.test(sentence.slice(0, match.index + match[0].length));
  });
  return done || (COMING.some((claim) => claim.test(sentence)) && !HARMLESS.test(sentence));
}

function checkPaymentClaims(text: string, { facts }: AnswerContext): AnswerDefect | null {
  const refunded = [...facts.values()].flatMap((json) =>
    [...json.matchAll(/"refunded_cents":\s*([0-9]+)/g)].map((match) => Number(match[1])),
  );
  const earlier = refunded.filter((cents) => cents > 0);
  const claims = text.split(/(?<=[.!?。！？；;\n])(?!\d)/).some((sentence) => {
    if (!claimsPayment(sentence)) return false;
    const amounts = amountsIn(sentence);
    const isRecord = amounts.length > 0 && EARLIER.test(sentence) && amounts.every((cents) => earlier.includes(cents));
    return !isRecord;
  });
  return claims
    ? {
        code: "payment_claimed",
        feedback:
          "There is no receipt: do not say or imply that money was or will be paid, sent or credited. A proposal waits for a human.",
      }
    : null;
}

/** What is missing for a proposal, or null when the answer asks for none or everything is there. */
export function checkProposal(answer: Answer, { plan, quote }: AnswerContext): AnswerDefect | null {
  if (answer.nextAction !== "request_refund") return null;
  const pages = new Set(answer.citations.map(pageOf));
  const missing = [
    plan.intent !== "refund" ? "the case is not about a refund" : null,
    plan.actionRequested ? null : "the customer has not asked for a refund to be carried out now",
    quote?.eligible === true ? null : "there is no eligible quote",
    (quote?.policyPages ?? []).every(({ page }) => pages.has(page))
      ? null
      : `cite passages of ${(quote?.policyPages ?? []).map(({ page }) => page).join(" and ")}`,
  ].filter((reason) => reason !== null);
  if (missing.length === 0) return null;
  return {
    code: "proposal_requirements_missing",
    feedback: `request_refund is not possible: ${missing.join("; ")}. Mend it, or use next_action answer.`,
  };
}
