/** Owns the review of conditions: eligibility, window, warehouse receipt, earlier refunds and approval agree with quote and order. */
import { formatCny } from "../../domain/money.js";
import { type Candidate, type Check, finding } from "./candidate.js";
import { readAmounts, readDayCounts, readDayNumbers, readWindowLengths } from "./claims.js";
import { windowDays } from "./terms.js";

const ELIGIBLE = /\b(?:eligible|refundable|qualif\w+|can be refunded)\b|可以?退|符合.{0,6}条件|能退/iu;
const INSIDE = /\b(?:inside|within)\b.*\b(?:window|days)\b|[期时]限之?内/iu;
const NOT_ELIGIBLE =
  /not (?:be )?(?:eligible|refundable)|no automatic refund|cannot be refunded|outside (?:of )?the (?:return )?window|不能(?:自动)?退|不符合|超出|已过/iu;
const WINDOW = /\bwindow\b|within \d+ (?:calendar )?days|[期时]限|天之?内/iu;
const RECEIPT = /warehouse|仓库/iu;
const REGISTERED = /regist|receiv|arriv|登记|收到|入库/iu;
const APPROVAL = /reviewer|approv|审核|审批|批准/iu;

/** The words that explain why there is no automatic refund. */
const REASON_WORDS: Readonly<Record<string, RegExp>> = {
  outside_window: /window|[期时]限/iu,
  return_not_received: RECEIPT,
  not_delivered: /not (?:yet )?delivered|never delivered|cancel|尚未签收|未签收|从未签收|已取消/iu,
  excluded_category: /custom|digital|categor|定制|数字|类别/iu,
  quantity_needs_human: /quantity|数量/iu,
  already_refunded: /nothing is left|refunded (?:earlier|in full)|没有余额|此前已/iu,
  merchant_requires_manual_review: /manual|by hand|人工/iu,
};

const says = ({ clauses }: Candidate, words: RegExp): boolean =>
  clauses.some(({ text, negated }) => words.test(text) && !negated);

const eligibilityAgrees: Check = (candidate) => {
  const { quote, nextAction, answer } = candidate;
  if (nextAction === "request_refund" && quote?.eligible !== true) {
    return [finding("eligibility_contradicted", quote?.reason ?? "no quote")];
  }
  if (quote === null)
    return says(candidate, ELIGIBLE) && candidate.order !== null
      ? [finding("eligibility_contradicted", "no quote")]
      : [];
  if (quote.eligible) return NOT_ELIGIBLE.test(answer) ? [finding("not_eligible")] : [];
  const insideClaimed = quote.reason === "outside_window" && says(candidate, INSIDE);
  return insideClaimed || says(candidate, ELIGIBLE) ? [finding("eligibility_contradicted", quote.reason)] : [];
};

const reasonIsGiven: Check = ({ quote, answer, nextAction }) => {
  if (quote === null || quote.eligible || nextAction !== "answer") return [];
  const words = Object.entries(REASON_WORDS).find(([reason]) => reason === quote.reason)?.[1];
  return words === undefined || words.test(answer) ? [] : [finding("reason_missing", quote.reason)];
};

/** An eligible refund is explained completely: amount, window, receipt, earlier refunds, and approval when one is asked for. */
const conditionsAreComplete: Check = (candidate) => {
  const { quote, order, answer, nextAction } = candidate;
  if (quote === null || !quote.eligible || nextAction === "needs_input") return [];
  const amounts = readAmounts(answer);
  const refunded = order?.refundedCents ?? 0;
  return [
    ...(amounts.includes(quote.amountCents) ? [] : [finding("amount_missing", formatCny(quote.amountCents))]),
    ...(WINDOW.test(answer) ? [] : [finding("window_missing")]),
    ...(RECEIPT.test(answer) ? [] : [finding("receipt_missing")]),
    ...(refunded > 0 && !amounts.includes(refunded) ? [finding("earlier_refund_missing", formatCny(refunded))] : []),
    ...(nextAction === "request_refund" && !says(candidate, APPROVAL) ? [finding("approval_missing")] : []),
  ];
};

const receiptAgrees: Check = (candidate) => {
  const { order, clauses } = candidate;
  const claimed = clauses.some(({ text, negated }) => RECEIPT.test(text) && REGISTERED.test(text) && !negated);
  return order !== null && !order.returnReceived && claimed ? [finding("receipt_contradicted")] : [];
};

const deliveryAgrees: Check = (candidate) => {
  const { order } = candidate;
  const claimed = says(
    candidate,
    /\b(?:was|were|is|has been) (?:already )?delivered\b|已经?签收|已经?送达|于 [\d-]+ 签收/iu,
  );
  return order !== null && order.status !== "delivered" && claimed ? [finding("delivery_contradicted")] : [];
};

/** Every number of days is the quote's count or stands in a cited passage; the window is as long as the passage says. */
const daysAgree: Check = ({ clauses, quote, cited, view }) => {
  const days = quote?.daysSinceDelivery ?? null;
  const pages = quote?.policyPages ?? [];
  const length = windowDays(cited, pages) ?? windowDays(view.evidence, pages);
  const known = new Set([...cited.flatMap(({ body }) => readDayNumbers(body)), ...(days === null ? [] : [days])]);
  const own = clauses.map(({ text }) => text);
  const unknown = own.flatMap(readDayNumbers).find((number) => !known.has(number));
  const wrongCount = days !== null && own.flatMap(readDayCounts).some((number) => number !== days);
  const wrongLength = length !== null && own.flatMap(readWindowLengths).some((number) => number !== length);
  return [
    ...(wrongCount ? [finding("wrong_day_count", days)] : []),
    ...(wrongLength ? [finding("wrong_window", length)] : []),
    ...(unknown !== undefined && !wrongCount && !wrongLength ? [finding("days_unknown", unknown)] : []),
  ];
};

export const CONDITION_CHECKS: readonly Check[] = [
  eligibilityAgrees,
  reasonIsGiven,
  conditionsAreComplete,
  receiptAgrees,
  deliveryAgrees,
  daysAgree,
];
