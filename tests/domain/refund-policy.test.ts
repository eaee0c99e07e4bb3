import { expect, test } from "vitest";
import { textHash } from "../../src/domain/canonical.js";
import { QuoteReason, quoteRefund, quoteToWire } from "../../src/domain/refund-policy.js";
import { documentVersionOf, RefundRules } from "../../src/domain/refund-rules.js";
import { BUSINESS_DATE, order, policyBasis, quote, ruleSet } from "../support/ledger-values.js";

test("an eligible order is quoted what was paid for its items; freight is never part of it", () => {
  expect(quote()).toMatchObject({
    eligible: true,
    reason: "eligible",
    amountCents: 12_900,
    shippingRefundCents: 0,
    daysSinceDelivery: 7,
    currency: "CNY",
    termsBy: "request_date",
    businessDate: BUSINESS_DATE,
  });
});

test("an earlier refund of 4,900 cents leaves 8,000", () => {
  expect(quote({ refundedCents: 4_900 })).toMatchObject({ eligible: true, amountCents: 8_000 });
});

/** Each order has every later defect as well: the first reason in the list has to win. */
const DEFECTS: [QuoteReason, Record<string, unknown>][] = [
  ["merchant_requires_manual_review", { tenant: "south" }],
  ["not_delivered", { status: "shipped" }],
  ["excluded_category", { category: "custom" }],
  ["quantity_needs_human", { quantity: 3 }],
  ["outside_window", { deliveredOn: "2026-08-01" }],
  ["return_not_received", { returnReceived: false }],
  ["already_refunded", { refundedCents: 12_900 }],
];

test.each(DEFECTS)("%s decides before every later reason, with 0 cents", (reason, changes) => {
  expect(quote(changes)).toMatchObject({ eligible: false, reason, amountCents: 0 });
  const position = DEFECTS.findIndex(([name]) => name === reason);
  const later = Object.assign(
    {},
    ...DEFECTS.slice(position)
      .reverse()
      .map(([, change]) => change),
  );
  expect(quote({ ...later, ...changes })).toMatchObject({ reason, amountCents: 0 });
});

test("the table above names every reason in the order of the rules", () => {
  expect([...DEFECTS.map(([reason]) => reason), "eligible"]).toEqual(QuoteReason.options);
});

test.each([
  ["2026-09-12", 0, "eligible"],
  ["2026-08-13", 30, "eligible"],
  ["2026-08-12", 31, "outside_window"],
  ["2026-09-13", -1, "not_delivered"],
])("delivered on %s is day %i: %s", (deliveredOn, days, reason) => {
  expect(quote({ deliveredOn })).toMatchObject({ daysSinceDelivery: days, reason });
});

test.each(["processing", "shipped", "cancelled"])("a %s order is not delivered, whatever date it carries", (status) => {
  expect(quote({ status }).reason).toBe("not_delivered");
});

test("a delivered order without a date is not delivered", () => {
  expect(quote({ deliveredOn: null })).toMatchObject({ reason: "not_delivered", daysSinceDelivery: null });
});

test.each(["custom", "digital"])(
  "a %s article is excluded, also inside the window and back in the warehouse",
  (category) => {
    expect(quote({ category }).reason).toBe("excluded_category");
  },
);

test("more than one piece needs a human", () => {
  expect(quote({ quantity: 2 })).toMatchObject({ reason: "quantity_needs_human", amountCents: 0 });
});

test("terms of the request date judge an order delivered before they came into force", () => {
  const rules = ruleSet({ return_days: 30 });
  expect(quoteRefund(order({ deliveredOn: "2026-08-20" }), rules, policyBasis(), BUSINESS_DATE)).toMatchObject({
    termsBy: "request_date",
    documentVersion: "2026-09",
    eligible: true,
  });
});

test("the same inputs give the same quote id, whatever else the order carries", () => {
  expect(quote().quoteId).toBe(quote().quoteId);
  expect(quote({ invoiceId: null, shippingCents: 0, sku: "LAMP-02" }).quoteId).toBe(quote().quoteId);
});

const base = quote();
test.each([
  ["orderId", quote({ orderId: "QH-1002" })],
  ["orderVersion", quote({ version: 2 })],
  ["amountCents", quote({ refundedCents: 1 })],
  ["daysSinceDelivery", quote({ deliveredOn: "2026-09-04" })],
  ["reason", quote({ returnReceived: false })],
  ["documentVersion", quote({}, policyBasis({ documentVersion: "2026-10" }))],
  ["a page's text", quote({}, policyBasis({ policyPages: [{ page: "RETURNS:p02", textHash: textHash("other") }] }))],
  ["ruleVersion", quoteRefund(order(), ruleSet({ version: "returns-2026-10" }), policyBasis(), BUSINESS_DATE)],
  ["businessDate", quoteRefund(order(), ruleSet(), policyBasis(), "2026-09-13")],
])("a different %s gives a different quote id", (_field, changed) => {
  expect(changed.quoteId).not.toBe(base.quoteId);
});

test("a quote as a model reads it names amounts in cents and pages without hashes", () => {
  expect(quoteToWire(base)).toMatchObject({
    amount_cents: 12_900,
    eligible: true,
    policy_pages: ["RETURNS:p02", "RETURNS:p03"],
    quote_id: base.quoteId,
  });
});

test.each([
  ["version", "2026-09"],
  ["tenant", ""],
  ["return_days", 0],
  ["return_days", 30.5],
  ["excluded_categories", ["standard"]],
  ["automatic_quantity", 2],
  ["policy_pages", []],
  ["policy_pages", ["RETURNS"]],
  ["policy_pages", ["RETURNS:p02", "RETURNS:p02"]],
  ["terms_by", "delivery_date"],
  ["currency", "USD"],
  ["description", { zh: "", en: "x" }],
  ["surprise", 1],
])("rules with a bad %s are refused", (field, value) => {
  expect(RefundRules.safeParse({ ...ruleSet(), [field]: value }).success).toBe(false);
});

test("rules belong to the document edition in their version", () => {
  expect(documentVersionOf(ruleSet())).toBe("2026-09");
});
