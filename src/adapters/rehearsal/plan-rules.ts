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
  const text = searchText(question);
  return text === "" ? [] : [text];
}

/** The question as a search text: without order ids, and empty when no word is left. */
function searchText(question: string): string {
  const text = normaliseText(question)
    .replace(/qh[-\u2010-\u2015\u2212\u30FC]\d{4}/giu, " ")
    .replace(/\s+/gu, " ")
    .trim()
    .slice(0, QUERY_CHARS)
    .trim();
  return /[\p{L}\p{N}]/u.test(text) ? text : "";
}
