/** Owns what a customer's text asks for: a refund now, something else, which topic, and whether it names an amount. */
import { findOrderIds, normaliseText } from "../../domain/order-ids.js";
import type { Words } from "./words.js";
import { ENGLISH } from "./words-en.js";
import { CHINESE } from "./words-zh.js";

/** Both tables are always used: customers mix languages. */
const TABLES: readonly Words[] = [ENGLISH, CHINESE];

const ORDER_ID = /qh[-\u2010-\u2015\u2212\u30FC]\d{4}/gu;
const DIRECTION_MARKS = /[\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;
/** Quoted speech is somebody else's text. A quoted single word is not speech. */
const QUOTED = /“[^”]*”|「[^」]*」|『[^』]*』|"[^"]*\s[^"]*"/gu;
const SENTENCE_END = /(?<=[。！？!?;；\n])|(?<=\.)(?=\s|$)/u;
const CLAUSE_END = /[,，:：、;；。！？!?\n|(){}[\]"“”*]+|\.(?=\s|$)|\s[-–—]\s|\b(?:and|but|then)\b|并|然后/u;

/** Lower case, one form for every order id, nothing hidden. */
export function plainText(question: string): string {
  const text = normaliseText(question).replace(DIRECTION_MARKS, " ").toLowerCase().replaceAll("’", "'");
  return text.replace(ORDER_ID, " thisorder ").replace(/\s+/gu, " ").trim();
}

/** Whether the customer plainly asks that a refund be carried out now. In doubt, no. */
export function asksForRefund(question: string): boolean {
  const said = TABLES.reduce((text, { idiom }) => text.replace(idiom, " "), plainText(question).replace(QUOTED, " "));
  if (TABLES.some((words) => words.negation.test(said) || words.withdrawal.test(said))) return false;
  if (namesOtherWish(said) || leavesOrderOut(said)) return false;
  return said.split(SENTENCE_END).some((sentence) => {
    if (TABLES.some(({ condition }) => condition.test(sentence))) return false;
    const asked = /[?？]\s*$/u.test(sentence);
    return sentence.split(CLAUSE_END).some((clause) => isRequest(clause, asked, said));
  });
}

function isRequest(clause: string, asked: boolean, wholeText: string): boolean {
  return TABLES.some((words) => {
    const polite = words.polite.test(clause);
    if (asked && !polite) return false;
    const core = clause
      .trim()
      .replace(polite ? words.politeForm : "", "")
      .replace(words.filler, "");
    const wanted = words.request.some((pattern) => pattern.test(core) || pattern.test(clause.trim()));
    const proceeds = words.proceed.test(core) && /refund|money|balance|退|余额/u.test(wholeText);
    return (wanted || proceeds) && !words.report.test(clause) && !TABLES.some(({ question }) => question.test(core));
  });
}

/** An exchange, a part of the amount, another payee and the like. */
export function namesOtherWish(question: string): boolean {
  const text = TABLES.reduce((rest, { negatedWish }) => rest.replace(negatedWish, " "), plainText(question));
  return TABLES.some(({ otherWish }) => otherWish.test(text));
}

/** The one order a text is about; null when it names none, several, or one only to leave it out. */
export function orderInQuestion(question: string): string | null {
  const [id, ...others] = findOrderIds(question);
  return id === undefined || others.length > 0 || leavesOrderOut(question) ? null : id;
}

/** "everything except QH-1001": the order is named only to be left out. */
export function leavesOrderOut(question: string): boolean {
  return /(?:except|but not|other than|apart from|除了?)\s*thisorder/u.test(plainText(question));
}

export function countOrders(question: string): number {
  return findOrderIds(question).length;
}

/** Amounts in a text, in cents: "CNY 141", "141.00" and "9,999 元"; numbers of days, dates and ids are none. */
export function amountsNamed(question: string): number[] {
  const text = plainText(question)
    .replaceAll("thisorder", " ")
    .replace(
      /\d{4}-\d{1,2}-\d{1,2}|\d+\s*(?:个?(?:自然|工作)?[天日月年号]|件|次|days?|weeks?|months?|years?|hours?|st\b|nd\b|rd\b|th\b)/gu,
      " ",
    )
    .replace(/[a-z]+-?\d+/gu, " ")
    .replace(/(\d),(?=\d{3}(?!\d))/gu, "$1");
  return [...text.matchAll(/(?<![\d.:])\d{2,7}(?:\.\d{1,2})?(?![\d:])/gu)].map(([number]) =>
    Math.round(Number(number) * 100),
  );
}
