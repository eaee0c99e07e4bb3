import { expect, test } from "vitest";
import { textHash } from "../../src/domain/canonical.js";
import { claimedDigest, Grant, grantText } from "../../src/domain/grant.js";
import { isExpired, matchesQuote, Proposal, proposalDigest, proposeRefund } from "../../src/domain/proposal.js";
import { ALICE_USER, CASE_ID, NOW_MS, OTHER_CASE_ID, proposal, QINGHE, quote } from "../support/ledger-values.js";

const made = proposal();

/** Every field with another valid value. */
const CHANGES: Record<keyof Proposal, unknown> = {
  approvalId: "ap-other",
  caseId: OTHER_CASE_ID,
  tenant: "south",
  applicant: "bob",
  orderId: "QH-1002",
  orderVersion: 2,
  ruleVersion: "returns-2026-10",
  documentVersion: "2026-10",
  policyPages: [{ page: "RETURNS:p02", textHash: textHash("changed") }],
  businessDate: "2026-09-13",
  quoteId: textHash("another quote"),
  amountCents: 12_901,
  currency: "CNY",
  createdAt: "2026-09-12T08:00:00.001Z",
  expiresAt: "2026-09-12T08:15:00.001Z",
};

test("a proposal takes over its quote and lives 15 minutes", () => {
  expect(made).toMatchObject({
    approvalId: `ap-${CASE_ID}-1`,
    orderId: "QH-1001",
    amountCents: 12_900,
    createdAt: "2026-09-12T08:00:00.000Z",
    expiresAt: "2026-09-12T08:15:00.000Z",
  });
});

test.each(Object.entries(CHANGES).filter(([field]) => field !== "currency"))(
  "a changed %s changes the digest",
  (field, value) => {
    const changed = Proposal.parse({ ...made, [field]: value });
    expect(proposalDigest(changed)).not.toBe(proposalDigest(made));
  },
);

test("another currency is no proposal", () => {
  expect(Proposal.safeParse({ ...made, currency: "USD" }).success).toBe(false);
});

test.each(Object.keys(CHANGES))("a proposal without %s is none", (field) => {
  const rest = Object.fromEntries(Object.entries(made).filter(([name]) => name !== field));
  expect(Proposal.safeParse(rest).success).toBe(false);
});

test("a field too many is refused, so that nothing unsigned can travel along", () => {
  expect(Proposal.safeParse({ ...made, note: "x" }).success).toBe(false);
});

test("the order of keys does not matter to the digest", () => {
  const reversed = Proposal.parse(Object.fromEntries(Object.entries(made).reverse()));
  expect(proposalDigest(reversed)).toBe(proposalDigest(made));
});

test("the digest survives a round trip through text", () => {
  expect(proposalDigest(Proposal.parse(JSON.parse(JSON.stringify(made))))).toBe(proposalDigest(made));
});

test("at exactly 15 minutes a proposal still counts, a millisecond later it does not", () => {
  expect(isExpired(made, NOW_MS + 900_000)).toBe(false);
  expect(isExpired(made, NOW_MS + 900_001)).toBe(true);
});

test("an ineligible quote cannot be proposed", () => {
  const owner = { caseId: CASE_ID, round: 1, tenant: QINGHE, applicant: ALICE_USER };
  expect(() => proposeRefund(quote({ returnReceived: false }), owner, NOW_MS)).toThrow(TypeError);
});

test("a proposal fits only the very quote it was made from", () => {
  expect(matchesQuote(made, quote())).toBe(true);
  expect(matchesQuote(made, quote({ version: 2 }))).toBe(false);
  expect(matchesQuote(made, quote({ refundedCents: 12_900 }))).toBe(false);
  expect(matchesQuote(made, { ...quote(), eligible: false })).toBe(false);
  expect(matchesQuote({ ...made, amountCents: quote({ refundedCents: 1 }).amountCents }, quote())).toBe(false);
});

test("a grant's text is canonical, and its digest can be read without a key", () => {
  const grant = Grant.parse({ v: 1, decision: "approve", reviewer: "chen", decidedAt: made.createdAt, proposal: made });
  const body = Buffer.from(grantText(grant)).toString("base64url");
  expect(claimedDigest(`head.${body}.signature`)).toBe(proposalDigest(made));
});

test.each(["", "one part", "a.b.c", `a.${Buffer.from("{}").toString("base64url")}.c`])(
  "what is no grant claims no digest: %s",
  (text) => {
    expect(claimedDigest(text)).toBeNull();
  },
);
