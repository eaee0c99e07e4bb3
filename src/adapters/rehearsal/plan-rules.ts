/** Owns the rules of the planning step. */
import { normaliseText } from "../../domain/order-ids.js";
import type { CaseView, Intent, Language } from "./case-view.js";
import { asksForRefund, orderInQuestion } from "./read-question.js";
import { intentOf, MILESTONES, REFUND_QUERY } from "./topics.js";

const QUERY_CHARS = 300;

export function planCase({ question, language }: CaseView): Record<string, unknown> {
  const intent = intentOf(question);
  return {
    intent,
    order_id: orderInQuestion(question),
    action_requested: asksForRefund(question),
    queries: queriesFor(intent, question, language),
    milestones: MILESTONES[intent][language],
  };
}

function queriesFor(intent: Intent, question: string, language: Language): string[] {
  if (intent === "greeting") return [];
  if (intent === "refund") return [REFUND_QUERY[language]];
  const text = searchText(question, language);
  return text === "" ? [] : [text];
}

/** Words of the other language find nothing in the documents of this one. */
const OTHER_SCRIPT: Readonly<Record<Language, RegExp>> = { en: /\p{Script=Han}+/gu, zh: /\p{Script=Latin}+/gu };
const OWN_SCRIPT: Readonly<Record<Language, RegExp>> = { en: /\p{Script=Latin}{3}/u, zh: /\p{Script=Han}{2}/u };

/** The question as a search text: without order ids, in the case's language when it holds any of it, and empty when no word is left. */
function searchText(question: string, language: Language): string {
  const whole = normaliseText(question).replace(/qh[-\u2010-\u2015\u2212\u30FC]\d{4}/giu, " ");
  const own = OWN_SCRIPT[language].test(whole) ? whole.replace(OTHER_SCRIPT[language], " ") : whole;
  const text = own.replace(/\s+/gu, " ").trim().slice(0, QUERY_CHARS).trim();
  return /[\p{L}\p{N}]/u.test(text) ? text : "";
}
