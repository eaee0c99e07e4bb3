/** Owns the review of sources: citations, the order an answer speaks of, its dates, and silence about records that are not accessible. */
import { findOrderIds } from "../../domain/order-ids.js";
import { type Candidate, type Check, finding } from "./candidate.js";
import { readAmounts, readDates } from "./claims.js";

const citationsAreKnown: Check = ({ citations, view }) => {
  const shown = new Set([...view.facts.keys(), ...view.evidence.map(({ id }) => id)]);
  return citations.filter((id) => !shown.has(id)).map((id) => finding("citation_unknown", id));
};

/** A proposal rests on both pages of the quote. */
const pagesAreCited: Check = ({ nextAction, quote, cited }) => {
  if (nextAction !== "request_refund") return [];
  const missing = (quote?.policyPages ?? []).filter((page) => !cited.some((passage) => passage.page === page));
  return missing.map((page) => finding("page_not_cited", page));
};

const passagesAreShown: Check = ({ answer, view }) => {
  const named = answer.match(/\b[A-Z][A-Z_]{2,40}:p\d{2}/gu) ?? [];
  return named
    .filter((page) => !view.evidence.some((passage) => passage.page === page))
    .map((page) => finding("passage_not_shown", page));
};

/** With records at hand the answer speaks of their orders only; without, of those that the question or a cited passage names. */
const ordersAreThisCases: Check = ({ clauses, view, cited }) => {
  const recorded = findOrderIds(JSON.stringify([...view.facts.entries()]));
  const allowed =
    recorded.length > 0 ? recorded : findOrderIds([view.question, ...cited.map(({ body }) => body)].join(" "));
  const others = clauses.flatMap(({ text }) => findOrderIds(text)).filter((id) => !allowed.includes(id));
  return others.map((id) => finding("other_order", id));
};

/** With records at hand a date comes from them; a passage's examples are about other orders. */
const datesAreRecorded: Check = ({ clauses, view, cited, order }) => {
  const records = JSON.stringify([...view.facts.values()]);
  const known = new Set(readDates(order === null ? `${records} ${cited.map(({ body }) => body).join(" ")}` : records));
  const unknown = clauses.flatMap(({ text }) => readDates(text)).filter((date) => !known.has(date));
  return unknown.map((date) => finding("date_unknown", date));
};

/** A delivery date is the order's own, not another date of the same records. */
const deliveryDateAgrees: Check = ({ clauses, order }) => {
  const stated = clauses.filter(({ text }) => /delivered on|签收/iu.test(text)).flatMap(({ text }) => readDates(text));
  const wrong =
    order?.deliveredOn === null || order === null ? undefined : stated.find((date) => date !== order.deliveredOn);
  return wrong === undefined ? [] : [finding("date_unknown", wrong)];
};

const existenceIsNotTold: Check = ({ answer, order }) => {
  const told =
    /does(?: not|n't) exist|no such order|\bexists\b|belongs? to|another customer|somebody else|someone else|不存在|别人的|他人|属于|其他顾客|另一位/iu;
  return order === null && told.test(answer) ? [finding("existence_told")] : [];
};

export const SOURCE_CHECKS: readonly Check[] = [
  citationsAreKnown,
  pagesAreCited,
  passagesAreShown,
  ordersAreThisCases,
  datesAreRecorded,
  deliveryDateAgrees,
  existenceIsNotTold,
];

/** An answer that states something with no record and no passage behind it. A greeting states nothing. */
export function restsOnNothing(candidate: Candidate): boolean {
  const { answer, citations, cited, clauses, nextAction, view } = candidate;
  if (nextAction === "needs_input") return false;
  if (citations.length === 0) return !isGreeting(answer);
  if (view.facts.size > 0) return false;
  const known = new Set(cited.flatMap(({ body }) => readAmounts(body)));
  const ownWords = clauses.map(({ text }) => text).join(" ");
  return (
    cited.length === 0 ||
    findOrderIds(ownWords).length > 0 ||
    readDates(ownWords).length > 0 ||
    clauses.some(({ amounts }) => amounts.some((amount) => !known.has(amount)))
  );
}

function isGreeting(answer: string): boolean {
  return (
    /^(?:hello|hi\b|hey|welcome|good (?:morning|afternoon|evening|day)|您好|你好|欢迎)/iu.test(answer.trim()) &&
    !/\d/u.test(answer)
  );
}
