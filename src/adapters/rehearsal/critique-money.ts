/** Owns the review of amounts: where they come from, what they are called, and that nobody is told that money has moved. */
import { formatCny } from "../../domain/money.js";
import { type Candidate, type Check, finding } from "./candidate.js";
import { type Clause, readAmounts } from "./claims.js";
import { centsOf } from "./untyped.js";

const REFUND = /refund|退/iu;
const FREIGHT = /freight|shipping|postage|运费|邮费/iu;
const INVOICE = /invoice|发票/iu;
const SUM = /total|amount|\d|总额|金额|合计/iu;
const EARLIER = /earlier|previous|此前|之前/iu;
const REFUNDABLE = /refundable|refund amount|amount of the refund|refund (?:of|is)|可退|退款金额|应退/iu;

/** What a clause calls its amount, and the figures that the records hold under that name. */
const LABELS: readonly (readonly [RegExp, (candidate: Candidate) => (number | undefined)[]])[] = [
  [FREIGHT, ({ order }) => [order?.shippingCents]],
  [/earlier|previous|already|此前|之前|已退/iu, ({ order }) => [order?.refundedCents]],
  [/\bpaid\b|\bitems?\b|实付|商品/iu, ({ order }) => [order?.paidItemsCents]],
  [
    /invoice|total|发票|总额|合计/iu,
    ({ invoice, order }) => [
      invoice?.totalCents,
      order === null ? undefined : order.paidItemsCents + order.shippingCents,
    ],
  ],
];

/** Every amount stands in a record, the quote or a cited passage. */
const amountsAreKnown: Check = ({ clauses, view, cited }) => {
  const known = new Set([
    ...[...view.facts.values()].flatMap(centsIn),
    ...cited.flatMap(({ body }) => readAmounts(body)),
  ]);
  const unknown = clauses.flatMap(({ amounts }) => amounts).filter((amount) => !known.has(amount));
  return unknown.map((amount) => finding("amount_unknown", formatCny(amount)));
};

function centsIn(value: unknown): number[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const amount = key.endsWith("_cents") ? centsOf(item) : null;
    return amount === null ? centsIn(item) : [amount];
  });
}

/** An amount is what its clause calls it; what is presented as the refund is the quote's amount. */
const amountsAreInPlace: Check = (candidate) =>
  candidate.clauses.flatMap((clause) => {
    const wrong = misplacedAmount(clause, candidate);
    return wrong === undefined ? [] : [finding("amount_misplaced", formatCny(wrong))];
  });

function misplacedAmount(clause: Clause, candidate: Candidate): number | undefined {
  const { order, quote } = candidate;
  if (order === null && quote === null) return undefined;
  const labels = LABELS.filter(([words]) => words.test(clause.text));
  const promised = REFUNDABLE.test(clause.text) && !EARLIER.test(clause.text) && !clause.negated;
  if (promised && !clause.amounts.includes(quote?.amountCents ?? -1)) return clause.amounts[0];
  if (labels.length === 0 && !REFUND.test(clause.text)) return undefined;
  const named = labels.flatMap(([, figures]) => figures(candidate));
  const allowed = promised || labels.length === 0 ? [...named, quote?.amountCents] : named;
  return clause.amounts.find((amount) => !allowed.includes(amount));
}

const invoiceIsNotTheRefund: Check = ({ clauses }) =>
  clauses.some(({ text, negated }) => INVOICE.test(text) && SUM.test(text) && REFUND.test(text) && !negated)
    ? [finding("invoice_as_refund")]
    : [];

const freightIsNotPromised: Check = ({ clauses }) => {
  const promises = /refund|includ|cover|plus|together|also|too\b|as well|退|包含|包括|一并|连同|加上|也会/iu;
  const found = clauses.some(
    ({ text, sentence, negated }) => FREIGHT.test(text) && promises.test(text) && REFUND.test(sentence) && !negated,
  );
  return found ? [finding("freight_promised")] : [];
};

const MOVED =
  /\b(?:refunded|reimbursed|credited|paid (?:out|back|to you)|on (?:its|the) way|reached your|arrived|will (?:arrive|receive|get|be (?:paid|refunded|credited|transferred|sent))|(?:has|have|was|were|been|is|are|got) (?:now |already |just )?(?:paid|sent|issued|completed|processed|transferred)(?! for))\b|已经?(?:全额)?(?:退款|退还|退给|退(?!货|回)|到账|打款|转账|汇出|付款|支付|返还)|退款已?(?:成功|完成|到账)|在路上|即将到账|将(?:会)?(?:退|到账|打)|会(?:退还|退给|到账|打到)/iu;
const MONEY = /refund|money|payment|amount|\bcny\b|\bpaid\b|退|款|钱|金额|到账/iu;

/** Without a receipt nobody says that money moved; an earlier refund that the order record holds may be named. */
const nothingWasPaid: Check = (candidate) => {
  const { clauses, order } = candidate;
  const claims = clauses.filter(
    ({ text, sentence, negated }) => MOVED.test(text) && MONEY.test(sentence) && !negated && !isPaidForItems(text),
  );
  return claims.some((clause) => !namesEarlierRefund(clause, order?.refundedCents ?? 0))
    ? [finding("payment_claimed")]
    : [];
};

function isPaidForItems(text: string): boolean {
  return /paid for/i.test(text) && !/refunded|arrived|on (?:its|the) way/i.test(text);
}

function namesEarlierRefund({ text, amounts }: Clause, refundedCents: number): boolean {
  if (refundedCents === 0) return false;
  return amounts.length === 0 ? EARLIER.test(text) : amounts.includes(refundedCents);
}

export const MONEY_CHECKS: readonly Check[] = [
  amountsAreKnown,
  amountsAreInPlace,
  invoiceIsNotTheRefund,
  freightIsNotPromised,
  nothingWasPaid,
];
