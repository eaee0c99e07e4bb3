import { expect, test } from "vitest";
import { textHash } from "../../src/domain/canonical.js";
import { ReceiptWire } from "../../src/domain/commerce-wire.js";
import { proposalDigest } from "../../src/domain/proposal.js";
import { Receipt, receiptDifferences, receiptFromWire, receiptIdOf, receiptToWire } from "../../src/domain/receipt.js";
import { proposal } from "../support/ledger-values.js";

const approved = proposal();
const receipt = Receipt.parse({
  receiptId: receiptIdOf(approved.approvalId),
  approvalId: approved.approvalId,
  digest: proposalDigest(approved),
  orderId: approved.orderId,
  amountCents: 12_900,
  currency: "CNY",
  simulated: true,
  executedAt: "2026-09-12T08:05:00.000Z",
});

test("the right receipt differs in nothing, and its time is its own", () => {
  expect(receiptDifferences(receipt, approved)).toEqual([]);
  expect(receiptDifferences({ ...receipt, executedAt: "2026-09-13T00:00:00.000Z" }, approved)).toEqual([]);
});

test.each([
  ["receiptId", "SIM-other"],
  ["approvalId", "ap-other"],
  ["digest", textHash("other")],
  ["orderId", "QH-1002"],
  ["amountCents", 99_999],
])("a receipt with another %s is not the one that was approved", (field, value) => {
  expect(receiptDifferences(Receipt.parse({ ...receipt, [field]: value }), approved)).toEqual([field]);
});

test.each([
  ["currency", "USD"],
  ["simulated", false],
  ["amount_cents", 129.5],
  ["amount_cents", "12900"],
  ["receipt_id", "REAL-1"],
  ["executed_at", "2026-09-12"],
  ["digest", "abc"],
  ["surprise", 1],
])("a receipt on the wire whose %s is %s is no receipt", (field, value) => {
  expect(ReceiptWire.safeParse({ ...receiptToWire(receipt), [field]: value }).success).toBe(false);
});

test.each(Object.keys(receiptToWire(receipt)))("a receipt on the wire without %s is no receipt", (field) => {
  const rest = Object.fromEntries(Object.entries(receiptToWire(receipt)).filter(([name]) => name !== field));
  expect(ReceiptWire.safeParse(rest).success).toBe(false);
});

test("a receipt comes over the wire unchanged", () => {
  expect(receiptFromWire(receiptToWire(receipt))).toEqual(receipt);
});
