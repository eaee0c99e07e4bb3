/** One test per field a guard of execute_refund protects. Each reads the balance back from disk: 12,900 cents paid, nothing refunded. */
import { CompactSign } from "jose";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/domain/canonical.js";
import { toInstant } from "../../src/domain/clock.js";
import { type ErrorCode, toolError } from "../../src/domain/errors.js";
import { type Grant, grantText } from "../../src/domain/grant.js";
import { CaseId, OrderId, TenantId, UserId } from "../../src/domain/ids.js";
import { Cents } from "../../src/domain/money.js";
import { type Proposal, proposeRefund } from "../../src/domain/proposal.js";
import { Quote } from "../../src/domain/refund-policy.js";
import { dataOf, errorOf } from "../support/commerce-client.js";
import { type CommerceData, commerceData, policyText, writeCommerceData } from "../support/commerce-data.js";
import { createGrantKeys, grantFor, signGrant } from "../support/commerce-grants.js";
import { type InMemoryCommerce, startInMemory } from "../support/commerce-in-memory.js";
import { openShop, type Shop } from "../support/commerce-shop.js";

const NOW = Date.parse("2026-09-12T08:00:00.000Z");
const MINUTE = 60_000;
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

let shop: Shop;
let nowMs: number;
let proposal: Proposal;
let open: InMemoryCommerce[];

beforeEach(async () => {
  shop = await openShop();
  nowMs = NOW;
  proposal = shop.propose("QH-1001", NOW);
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map((connection) => connection.close()));
  shop.remove();
});

async function execute(grant: string, options: { profile?: string; approvalId?: string; of?: Shop } = {}) {
  const connection = await startInMemory(options.of ?? shop, options.profile ?? "alice", {
    clock: { nowMs: () => nowMs },
  });
  open.push(connection);
  return connection.call("execute_refund", { approval_id: options.approvalId ?? proposal.approvalId, grant });
}

async function expectRefused(
  code: ErrorCode,
  grant: string,
  options: Parameters<typeof execute>[1] = {},
): Promise<void> {
  const before = shop.balance("QH-1001");
  expect(errorOf(await execute(grant, options))).toEqual(toolError(code));
  expect(shop.balance("QH-1001")).toEqual(before);
  expect(shop.receipts()).toEqual([]);
}

/** Signs whatever it is given, also what the host's own code would never sign. */
const signRaw = (changes: Record<string, unknown>) =>
  shop.keys.sign(canonicalJson({ ...grantFor(proposal), ...changes }));
const signProposal = (changes: Partial<Proposal>) => signGrant(shop.keys, { ...proposal, ...changes });
const signDecision = (changes: Partial<Grant>) => signGrant(shop.keys, proposal, changes);
const changeData = (edit: (data: CommerceData) => void) => {
  const data = commerceData();
  edit(data);
  writeCommerceData(shop.dataDir, data);
};

describe("a good grant", () => {
  it("pays 12900 cents, raises the version and leaves one receipt", async () => {
    expect(dataOf(await execute(await signDecision({})))).toMatchObject({
      amount_cents: 12_900,
      executed_at: toInstant(NOW),
    });
    expect(shop.balance("QH-1001")).toEqual({ refunded_cents: 12_900, version: 2 });
    expect(shop.receipts()).toHaveLength(1);
    expect(shop.balance("QH-1002")).toEqual({ refunded_cents: 0, version: 1 });
  });

  it("still pays at exactly 15 minutes", async () => {
    nowMs = NOW + 15 * MINUTE;
    expect(dataOf(await execute(await signDecision({ decidedAt: toInstant(nowMs) })))).toMatchObject({
      amount_cents: 12_900,
    });
  });
});

describe("the signature", () => {
  it("refuses a grant signed with another key", async () => {
    await expectRefused("grant_invalid", await signGrant(await createGrantKeys(), proposal));
  });

  it.each<[string, (grant: Grant) => unknown]>([
    ["amount", (grant) => ({ ...grant, proposal: { ...grant.proposal, amountCents: 1 } })],
    ["order", (grant) => ({ ...grant, proposal: { ...grant.proposal, orderId: "QH-1002" } })],
    ["expiry", (grant) => ({ ...grant, proposal: { ...grant.proposal, expiresAt: "2027-01-01T00:00:00.000Z" } })],
    ["reviewer", (grant) => ({ ...grant, reviewer: "dana" })],
    ["decision time", (grant) => ({ ...grant, decidedAt: toInstant(NOW + 2_000) })],
  ])("refuses a grant whose %s was edited after signing", async (_field, edit) => {
    const [header, , signature] = (await signDecision({})).split(".");
    const edited = Buffer.from(canonicalJson(edit(grantFor(proposal)))).toString("base64url");
    await expectRefused("grant_invalid", `${header}.${edited}.${signature}`);
  });

  it("refuses algorithm none", async () => {
    const [, payload] = (await signDecision({})).split(".");
    for (const signature of ["", "AA"]) {
      const header = encode({ alg: "none", typ: "qinghe-grant+jws" });
      await expectRefused("grant_invalid", `${header}.${payload}.${signature}`);
    }
  });

  it("refuses HS256 keyed with the public key", async () => {
    for (const secret of [shop.keys.publicKeyText, shop.keys.publicJwk.x ?? "", JSON.stringify(shop.keys.publicJwk)]) {
      const forged = new CompactSign(Buffer.from(grantText(grantFor(proposal))))
        .setProtectedHeader({ alg: "HS256", typ: "qinghe-grant+jws" })
        .sign(Buffer.from(secret.padEnd(32, "0")));
      await expectRefused("grant_invalid", await forged);
    }
  });

  it("refuses another type of token made with the same key", async () => {
    const text = grantText(grantFor(proposal));
    for (const typ of ["JWT", "qinghe-grant", "QINGHE-GRANT+JWS", ""]) {
      await expectRefused("grant_invalid", await shop.keys.sign(text, { alg: "EdDSA", typ }));
    }
    await expectRefused("grant_invalid", await shop.keys.sign(text, { alg: "EdDSA" }));
    await expectRefused(
      "grant_invalid",
      await shop.keys.sign(text, { alg: "EdDSA", typ: "qinghe-grant+jws", cty: "x" }),
    );
  });

  it("refuses a payload that is not the canonical text of what it says", async () => {
    const text = grantText(grantFor(proposal));
    const spellings = [
      JSON.stringify(JSON.parse(text), null, 1),
      JSON.stringify(grantFor(proposal)),
      ` ${text}`,
      text.replace('"amountCents":12900', '"amountCents":1.29e4'),
      text.replace('"amountCents":12900', '"amountCents":1,"amountCents":12900'),
      text.replace('"v":1', '"v":1,"extra":1'),
      `\uFEFF${text}`,
    ];
    for (const spelling of spellings) {
      expect(spelling).not.toBe(text);
      await expectRefused("grant_invalid", await shop.keys.sign(spelling));
    }
  });

  it.each([
    ["a rejection", { decision: "reject" }],
    ["another version of the form", { v: 2 }],
    ["an unknown member", { amountCents: 1 }],
    ["a proposal without an amount", { proposal: {} }],
    ["an amount in fractions", { proposal: { amountCents: 129.5 } }],
  ])("refuses %s, well signed as it is", async (_what, changes) => {
    await expectRefused("grant_invalid", await signRaw(changes));
  });

  it.each(["x", "a.b.c", "..", "eyJhbGciOiJFZERTQSJ9.e30.AA", "e30.e30.e30.e30", "\u0000", "🦊.🦊.🦊"])(
    "refuses %j",
    async (text) => {
      await expectRefused("grant_invalid", text);
    },
  );
});

describe("whose approval it is", () => {
  it("refuses a grant under another approval id", async () => {
    await expectRefused("grant_other_approval", await signDecision({}), { approvalId: "ap-other-1" });
  });

  it("refuses another applicant's grant", async () => {
    await expectRefused("order_not_accessible", await signDecision({}), { profile: "bob" });
    await expectRefused("order_not_accessible", await signProposal({ applicant: UserId.parse("bob") }));
  });

  it("refuses another merchant's grant", async () => {
    await expectRefused("order_not_accessible", await signDecision({}), { profile: "lin" });
    await expectRefused("order_not_accessible", await signProposal({ tenant: TenantId.parse("south") }));
  });

  it("refuses a reviewer's process, also for the reviewer's own order and before it looks at anything else", async () => {
    await expectRefused("order_not_accessible", await signDecision({}), { profile: "chen" });
    const own = shop.propose("QH-1999", NOW);
    const grant = await signGrant(shop.keys, own, { reviewer: UserId.parse("dana") });
    await expectRefused("order_not_accessible", grant, { profile: "chen", approvalId: own.approvalId });
    nowMs = NOW + 16 * MINUTE;
    await expectRefused("order_not_accessible", grant, { profile: "chen", approvalId: own.approvalId });
    expect(shop.balance("QH-1999")).toEqual({ refunded_cents: 0, version: 1 });
  });

  it("refuses a proposal about an order the applicant does not own", async () => {
    for (const order of ["QH-2001", "QH-3001", "QH-3009", "QH-1999", "QH-9999"]) {
      await expectRefused("order_not_accessible", await signProposal({ orderId: OrderId.parse(order) }));
    }
  });
});

describe("time", () => {
  it("refuses a grant a millisecond after its proposal expired", async () => {
    nowMs = NOW + 15 * MINUTE + 1;
    await expectRefused("approval_expired", await signDecision({}));
  });

  it("refuses a decision from before the proposal", async () => {
    await expectRefused("approval_expired", await signDecision({ decidedAt: toInstant(NOW - 1) }));
  });

  it("refuses a decision from after the proposal expired", async () => {
    await expectRefused("approval_expired", await signDecision({ decidedAt: toInstant(NOW + 15 * MINUTE + 1) }));
  });
});

describe("the reviewer", () => {
  it.each(["alice", "bob", "mei", "nobody"])(
    "refuses %s: applicant, customer, another merchant's, unknown",
    async (user) => {
      await expectRefused("reviewer_revoked", await signDecision({ reviewer: UserId.parse(user) }));
    },
  );

  it("refuses an applicant who has become a reviewer", async () => {
    const identity = shop.profile("alice");
    changeData(({ profiles }) => {
      for (const profile of profiles.profiles) if (profile.user === "alice") profile.role = "reviewer";
    });
    const grant = await signDecision({ reviewer: UserId.parse("alice") });
    const connection = await startInMemory(shop, "alice", { identity, clock: { nowMs: () => nowMs } });
    open.push(connection);
    const result = await connection.call("execute_refund", { approval_id: proposal.approvalId, grant });
    expect(errorOf(result)).toEqual(toolError("reviewer_revoked"));
    expect(shop.balance("QH-1001")).toEqual({ refunded_cents: 0, version: 1 });
  });

  it("notices a revocation while the process runs, and pays again once it is taken back", async () => {
    const connection = await startInMemory(shop, "alice", { clock: { nowMs: () => nowMs } });
    open.push(connection);
    const args = { approval_id: proposal.approvalId, grant: await signDecision({}) };
    changeData(({ profiles }) => {
      profiles.profiles = profiles.profiles.filter(({ user }) => user !== "chen");
    });
    expect(errorOf(await connection.call("execute_refund", args))).toEqual(toolError("reviewer_revoked"));
    expect(shop.balance("QH-1001")).toEqual({ refunded_cents: 0, version: 1 });
    changeData(() => {});
    expect(dataOf(await connection.call("execute_refund", args))).toMatchObject({ amount_cents: 12_900 });
  });

  it("pays nothing while profiles.json cannot be read, and does not call the reviewer revoked", async () => {
    const connection = await startInMemory(shop, "alice", { clock: { nowMs: () => nowMs } });
    open.push(connection);
    changeData((data) => {
      Reflect.set(data, "profiles", { fictional: true });
    });
    const result = await connection.call("execute_refund", {
      approval_id: proposal.approvalId,
      grant: await signDecision({}),
    });
    expect(errorOf(result)).toEqual(toolError("store_unreadable"));
    expect(connection.log.join()).toContain("data_invalid profiles.json");
    expect(shop.balance("QH-1001")).toEqual({ refunded_cents: 0, version: 1 });
  });
});

describe("the order and the terms, read anew", () => {
  it.each([
    ["its version", "version = 2"],
    ["what was paid", "paid_items_cents = 20000"],
    ["an earlier refund", "refunded_cents = 100"],
    ["a refund of everything", "refunded_cents = 12900"],
    ["its status", "status = 'shipped'"],
    ["its delivery date", "delivered_on = '2026-09-04'"],
    ["the warehouse receipt", "return_received = 0"],
    ["its quantity", "quantity = 3"],
    ["its category", "category = 'custom'"],
  ])("refuses when the order changed: %s", async (_what, change) => {
    shop.tamper(`update orders set ${change} where order_id = 'QH-1001'`);
    await expectRefused("quote_changed", await signDecision({}));
  });

  it("refuses when the rules changed", async () => {
    changeData(({ rules }) => {
      rules.return_days = 6;
    });
    await expectRefused("quote_changed", await signDecision({}));
  });

  it("refuses when rules and document went to another edition", async () => {
    changeData(({ rules, knowledge }) => {
      rules.version = "returns-2026-10";
      knowledge["RETURNS.md"] = policyText({ version: "2026-10" });
    });
    await expectRefused("quote_changed", await signDecision({}));
  });

  it("refuses when one sentence of a mandatory page changed", async () => {
    changeData(({ knowledge }) => {
      knowledge["RETURNS.md"] = policyText({}, "Freight is refunded.");
    });
    await expectRefused("quote_changed", await signDecision({}));
  });

  it("refuses when the business date of the records changed", async () => {
    shop.tamper("update meta set value = '2026-09-13'");
    await expectRefused("quote_changed", await signDecision({}));
  });

  it.each<[string, (proposal: Proposal) => Partial<Proposal>]>([
    ["amount", () => ({ amountCents: Cents.parse(12_899) })],
    ["order version", () => ({ orderVersion: 2 })],
    ["rule version", () => ({ ruleVersion: "returns-2026-08" })],
    ["document version", () => ({ documentVersion: "2026-08" })],
    ["policy pages", ({ policyPages }) => ({ policyPages: policyPages.slice(0, 1) })],
    ["policy text", ({ policyPages: [page] }) => ({ policyPages: page === undefined ? [] : [page, page] })],
    ["business date", () => ({ businessDate: "2026-09-11" })],
    ["quote id", ({ orderId }) => ({ quoteId: shop.propose(orderId === "QH-1001" ? "QH-1002" : "QH-1001").quoteId })],
  ])("refuses a signed proposal whose %s is not the fresh quote's", async (_field, change) => {
    await expectRefused("quote_changed", await signProposal(change(proposal)));
  });

  it("refuses a signed proposal for an order that is not eligible", async () => {
    const ineligible = await openShop(({ business }) => {
      for (const order of business.orders) if (order.order_id === "QH-1001") order.quantity = 3;
    });
    try {
      const good = Quote.parse({ ...(await quoteOf(shop)), eligible: true });
      const owner = {
        caseId: CaseId.parse(proposal.caseId),
        round: 1,
        tenant: proposal.tenant,
        applicant: proposal.applicant,
      };
      const forged = await signGrant(ineligible.keys, proposeRefund(good, owner, NOW));
      expect(errorOf(await execute(forged, { of: ineligible }))).toEqual(toolError("quote_changed"));
      expect(ineligible.balance("QH-1001")).toEqual({ refunded_cents: 0, version: 1 });
    } finally {
      await Promise.all(open.splice(0).map((connection) => connection.close()));
      ineligible.remove();
    }
  });

  it("pays nothing for a second approval of an order that was refunded meanwhile", async () => {
    const second = shop.propose("QH-1001", NOW);
    await execute(await signDecision({}));
    const grant = await signGrant(shop.keys, second);
    expect(errorOf(await execute(grant, { approvalId: second.approvalId }))).toEqual(toolError("quote_changed"));
    expect(shop.balance("QH-1001")).toEqual({ refunded_cents: 12_900, version: 2 });
    expect(shop.receipts()).toHaveLength(1);
  });
});

describe("the order of the checks", () => {
  it("names the first reason that applies", async () => {
    // Everything is wrong at once; each step mends one thing.
    nowMs = NOW + 16 * MINUTE;
    shop.tamper("update orders set version = 2 where order_id = 'QH-1001'");
    const nobody = { reviewer: UserId.parse("nobody") };
    await expectRefused("grant_invalid", await signGrant(await createGrantKeys(), proposal, nobody), {
      profile: "bob",
      approvalId: "ap-x",
    });
    const grant = await signDecision(nobody);
    await expectRefused("grant_other_approval", grant, { profile: "bob", approvalId: "ap-x" });
    await expectRefused("order_not_accessible", grant, { profile: "bob" });
    await expectRefused("approval_expired", grant);
    nowMs = NOW;
    await expectRefused("reviewer_revoked", grant);
    await expectRefused("quote_changed", await signDecision({}));
  });
});

async function quoteOf(of: Shop): Promise<Record<string, unknown>> {
  const {
    caseId: _c,
    approvalId: _a,
    tenant: _t,
    applicant: _u,
    createdAt: _n,
    expiresAt: _e,
    ...shared
  } = of.propose("QH-1001", NOW);
  return { ...shared, termsBy: "request_date", daysSinceDelivery: 7, shippingRefundCents: 0, reason: "eligible" };
}
