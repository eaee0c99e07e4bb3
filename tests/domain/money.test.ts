import { expect, test } from "vitest";
import { OrderWire } from "../../src/domain/commerce-wire.js";
import { balanceCents, Cents, formatCny } from "../../src/domain/money.js";
import { Order, orderToWire } from "../../src/domain/order.js";
import { Proposal } from "../../src/domain/proposal.js";
import { Receipt } from "../../src/domain/receipt.js";
import { Quote } from "../../src/domain/refund-policy.js";
import { order, proposal, quote } from "../support/ledger-values.js";

const NO_MONEY = [129.5, true, "100", -1, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, null, 12_900n];

test.each(NO_MONEY)("%s is no amount of money", (value) => {
  expect(Cents.safeParse(value).success).toBe(false);
});

test.each([0, 1, 12_900, Number.MAX_SAFE_INTEGER])("%s cents is an amount", (value) => {
  expect(Cents.parse(value)).toBe(value);
});

const AMOUNT_FIELDS = [
  "listPriceCents",
  "discountCents",
  "paidItemsCents",
  "shippingCents",
  "refundedCents",
] as const satisfies (keyof Order)[];

test.each(AMOUNT_FIELDS)("an order with a broken %s is refused on both sides of the wire", (field) => {
  for (const value of NO_MONEY) {
    expect(Order.safeParse({ ...order(), [field]: value }).success).toBe(false);
    const wireField = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    expect(OrderWire.safeParse({ ...orderToWire(order()), [wireField]: value }).success).toBe(false);
  }
});

test.each(NO_MONEY)("%s is refused as the amount of a quote, a proposal and a receipt", (amountCents) => {
  expect(Quote.safeParse({ ...quote(), amountCents }).success).toBe(false);
  expect(Proposal.safeParse({ ...proposal(), amountCents }).success).toBe(false);
  expect(Receipt.shape.amountCents.safeParse(amountCents).success).toBe(false);
});

test("a proposal of 0 cents is refused", () => {
  expect(Proposal.safeParse({ ...proposal(), amountCents: 0 }).success).toBe(false);
});

test("the balance is what was paid minus what was refunded, and never below zero", () => {
  expect(balanceCents(Cents.parse(12_900), Cents.parse(4_900))).toBe(8_000);
  expect(balanceCents(Cents.parse(12_900), Cents.parse(12_900))).toBe(0);
  expect(balanceCents(Cents.parse(100), Cents.parse(200))).toBe(0);
});

test.each([
  [0, "CNY 0.00"],
  [5, "CNY 0.05"],
  [12_900, "CNY 129.00"],
  [99_999_999, "CNY 999999.99"],
])("%i cents are printed as %s", (cents, text) => {
  expect(formatCny(cents)).toBe(text);
});
