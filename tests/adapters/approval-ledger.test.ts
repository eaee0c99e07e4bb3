import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compactVerify, importJWK } from "jose";
import { expect, test } from "vitest";
import { publicKeyText } from "../../src/adapters/grant-keys.js";
import type { Stores } from "../../src/adapters/stores.js";
import { canonicalJson } from "../../src/domain/canonical.js";
import { GRANT_ALGORITHM, GRANT_TYPE, Grant } from "../../src/domain/grant.js";
import { LIMITS } from "../../src/domain/limits.js";
import type { ProposalPlacing } from "../../src/domain/ports.js";
import type { Proposal } from "../../src/domain/proposal.js";
import { createLedger, type Ledger, openCase } from "../support/ledger.js";
import { alice, CASE_ID, chen, dana, OTHER_CASE_ID, proposal, southReviewer } from "../support/ledger-values.js";

const WAITING = { status: "waiting_approval", phase: "approve" } as const;
const DONE = { status: "completed", phase: "done" } as const;
const made = proposal();
const placeIn = (stores: Stores, of: Proposal = made, round = 1): Promise<ProposalPlacing> =>
  stores.leases.hold(of.caseId, () => stores.approvals.place(of, round, WAITING, []));
const inOther = proposal({}, { caseId: OTHER_CASE_ID });

async function waitingLedger(): Promise<{ ledger: Ledger; stores: Stores; digest: string }> {
  const ledger = await createLedger();
  const stores = await ledger.open();
  await openCase(stores);
  const placed = await placeIn(stores);
  return { ledger, stores, digest: placed.kind === "placed" ? placed.approval.digest : "" };
}
const approvals = (ledger: Ledger, columns = "state"): unknown =>
  ledger.query("application", `select ${columns} from approvals order by rowid`);

test("placing a proposal changes the case in the same transaction", async () => {
  const { ledger, stores } = await waitingLedger();
  expect(approvals(ledger, "state, round, order_id")).toEqual([{ state: "pending", round: 1, order_id: "QH-1001" }]);
  expect(await stores.cases.find(CASE_ID)).toMatchObject(WAITING);
});

test("placing again in the same round finds its own row, whatever time it is now", async () => {
  const { ledger, stores, digest } = await waitingLedger();
  const later = { ...made, createdAt: "2026-09-12T08:01:00.000Z", expiresAt: "2026-09-12T08:16:00.000Z" };
  expect(await placeIn(stores, later)).toMatchObject({ kind: "placed", approval: { digest } });
  expect(approvals(ledger)).toHaveLength(1);
});

test("an order has one live proposal: the second case is told where and until when", async () => {
  const { ledger, stores } = await waitingLedger();
  await openCase(stores, OTHER_CASE_ID);
  expect(await placeIn(stores, inOther)).toEqual({
    kind: "occupied",
    live: { caseId: CASE_ID, expiresAt: made.expiresAt },
  });
  expect(approvals(ledger)).toHaveLength(1);
  expect(await stores.cases.find(OTHER_CASE_ID)).toMatchObject({ status: "running" });
});

test.each(["pending", "approved"])("the database itself refuses a second %s row for one order", async (state) => {
  const { ledger } = await waitingLedger();
  const insert = `insert into approvals (approval_id, case_id, round, tenant, order_id, proposal, digest, state, expires_at)
    values (?, 'c', 1, ?, ?, '{}', 'd', ?, '')`;
  expect(() => ledger.run("application", insert, "x", "qinghe", "QH-1001", state)).toThrow("UNIQUE");
  ledger.run("application", insert, "y", "south", "QH-1001", state);
  ledger.run("application", insert.replace("'c'", "'d'"), "z", "qinghe", "QH-1002", state);
});

test("an expired undecided proposal of another case is closed when a new one is placed", async () => {
  const { ledger, stores } = await waitingLedger();
  await openCase(stores, OTHER_CASE_ID);
  ledger.clock.advance(LIMITS.approvalMs);
  expect((await placeIn(stores, inOther)).kind).toBe("occupied");
  ledger.clock.advance(1);
  expect((await placeIn(stores, inOther)).kind).toBe("placed");
  expect(approvals(ledger, "state, void_code")).toEqual([
    { state: "void", void_code: "expired" },
    { state: "pending", void_code: null },
  ]);
});

test("an approved proposal blocks its order until it is settled or void, however late", async () => {
  const { ledger, stores, digest } = await waitingLedger();
  await openCase(stores, OTHER_CASE_ID);
  await stores.approvals.decide(CASE_ID, { decision: "approve", digest, by: "chen" }, chen);
  ledger.clock.advance(LIMITS.approvalMs + 1);
  expect((await placeIn(stores, inOther)).kind).toBe("occupied");
  await stores.leases.hold(CASE_ID, () => stores.approvals.voidUnpaid(CASE_ID, 1, "expired", WAITING, []));
  expect((await placeIn(stores, inOther)).kind).toBe("placed");
});

test("placing without the lease writes nothing", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  await openCase(stores);
  await expect(stores.approvals.place(made, 1, WAITING, [])).rejects.toMatchObject({ code: "lease_required" });
  expect(approvals(ledger)).toEqual([]);
});

test("approving stores a grant that the public key verifies and that covers exactly the proposal", async () => {
  const { ledger, stores, digest } = await waitingLedger();
  const decided = await stores.approvals.decide(
    CASE_ID,
    { decision: "approve", digest, by: "chen", reason: "ok" },
    chen,
  );
  if (!decided.ok) throw new Error(decided.code);
  expect(decided.approval).toMatchObject({ state: "approved", reviewer: "chen", reason: "ok" });
  const jwk = JSON.parse(Buffer.from(publicKeyText(ledger.paths.keysDir), "base64url").toString());
  expect(jwk.d).toBeUndefined();
  const key = await importJWK(jwk, GRANT_ALGORITHM);
  const { payload, protectedHeader } = await compactVerify(decided.approval.grant ?? "", key);
  expect(protectedHeader).toEqual({ alg: "EdDSA", typ: GRANT_TYPE });
  const text = Buffer.from(payload).toString();
  const grant = Grant.parse(JSON.parse(text));
  expect(grant).toEqual({
    v: 1,
    decision: "approve",
    reviewer: "chen",
    decidedAt: decided.approval.decidedAt,
    proposal: made,
  });
  expect(canonicalJson(grant)).toBe(text);
  expect(readFileSync(join(ledger.paths.keysDir, "grant-private.jwk"), "utf8")).toContain('"d"');
});

test.each(["reject", "withdraw", "requote"] as const)("%s stores no grant", async (decision) => {
  const { ledger, stores, digest } = await waitingLedger();
  const caller = decision === "reject" ? chen : alice;
  expect((await stores.approvals.decide(CASE_ID, { decision, digest, by: caller.user }, caller)).ok).toBe(true);
  expect(approvals(ledger, "grant_jws")).toEqual([{ grant_jws: null }]);
});

test("of two decisions on two connections one is recorded", async () => {
  const { ledger, stores, digest } = await waitingLedger();
  const other = await ledger.open();
  const results = await Promise.all([
    stores.approvals.decide(CASE_ID, { decision: "approve", digest, by: "chen" }, chen),
    other.approvals.decide(CASE_ID, { decision: "reject", digest, by: "dana" }, dana),
  ]);
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  expect(results.filter((result) => !result.ok)).toEqual([{ ok: false, code: "already_decided" }]);
  const [row] = ledger.query("application", "select state, reviewer, grant_jws from approvals");
  const approved = row?.state === "approved";
  expect(row?.reviewer).toBe(approved ? "chen" : "dana");
  expect(row?.grant_jws === null).toBe(!approved);
});

test("a repeated decision is refused and changes nothing", async () => {
  const { ledger, stores, digest } = await waitingLedger();
  const answer = { decision: "approve", digest, by: "chen" };
  await stores.approvals.decide(CASE_ID, answer, chen);
  const before = approvals(ledger, "*");
  ledger.clock.advance(1_000);
  expect(await stores.approvals.decide(CASE_ID, answer, chen)).toEqual({ ok: false, code: "already_decided" });
  expect(approvals(ledger, "*")).toEqual(before);
});

test("a clock that was set back since the case was last touched does not revive an expired proposal", async () => {
  const { ledger, stores, digest } = await waitingLedger();
  const approve = () => stores.approvals.decide(CASE_ID, { decision: "approve", digest, by: "chen" }, chen);
  ledger.clock.advance(LIMITS.approvalMs + 1);
  expect(await approve()).toEqual({ ok: false, code: "approval_expired" });
  ledger.clock.advance(-LIMITS.approvalMs);
  expect(await approve()).toEqual({ ok: false, code: "approval_expired" });
  expect(approvals(ledger, "state, grant_jws")).toEqual([{ state: "pending", grant_jws: null }]);
});

test("continue reads the row and changes nothing", async () => {
  const { ledger, stores, digest } = await waitingLedger();
  const before = approvals(ledger, "*");
  const result = await stores.approvals.decide(CASE_ID, { decision: "continue", digest, by: "alice" }, alice);
  expect(result).toMatchObject({ ok: true, approval: { state: "pending" } });
  expect(approvals(ledger, "*")).toEqual(before);
});

test("an absent case and another merchant's case are refused alike", async () => {
  const { stores, digest } = await waitingLedger();
  const answer = { decision: "approve", digest, by: southReviewer.user };
  const refused = { ok: false, code: "case_not_accessible" };
  expect(await stores.approvals.decide(CASE_ID, answer, southReviewer)).toEqual(refused);
  expect(await stores.approvals.decide(OTHER_CASE_ID, answer, southReviewer)).toEqual(refused);
});

test.each([
  ["amount", "replace(proposal, '12900', '99900')"],
  ["expiry", "replace(proposal, 'T08:15', 'T20:15')"],
])("a row whose %s was edited behind our back cannot be approved", async (_what, edit) => {
  const { ledger, stores, digest } = await waitingLedger();
  ledger.run("application", `update approvals set proposal = ${edit}`);
  expect(await stores.approvals.decide(CASE_ID, { decision: "approve", digest, by: "chen" }, chen)).toEqual({
    ok: false,
    code: "digest_mismatch",
  });
  expect(approvals(ledger, "state, grant_jws")).toEqual([{ state: "pending", grant_jws: null }]);
});

test("only an approved row is settled or declared void", async () => {
  const { ledger, stores, digest } = await waitingLedger();
  const settle = (): Promise<void> =>
    stores.leases.hold(CASE_ID, () => stores.approvals.settle(CASE_ID, 1, "{}", DONE, []));
  const annul = (): Promise<void> =>
    stores.leases.hold(CASE_ID, () => stores.approvals.voidUnpaid(CASE_ID, 1, "stale", WAITING, []));
  await expect(settle()).rejects.toMatchObject({ code: "internal_error" });
  await expect(annul()).rejects.toMatchObject({ code: "internal_error" });
  expect(await stores.cases.find(CASE_ID)).toMatchObject(WAITING);
  await stores.approvals.decide(CASE_ID, { decision: "approve", digest, by: "chen" }, chen);
  await settle();
  expect(approvals(ledger, "state, receipt")).toEqual([{ state: "settled", receipt: "{}" }]);
  expect(await stores.cases.find(CASE_ID)).toMatchObject(DONE);
  await expect(settle()).rejects.toMatchObject({ code: "internal_error" });
  await expect(annul()).rejects.toMatchObject({ code: "internal_error" });
});

test("a settlement whose lease is lost settles nothing", async () => {
  const { ledger, stores, digest } = await waitingLedger();
  await stores.approvals.decide(CASE_ID, { decision: "approve", digest, by: "chen" }, chen);
  await stores.leases.hold(CASE_ID, async () => {
    ledger.run("application", "update leases set epoch = epoch + 1, owner = 'other'");
    await expect(stores.approvals.settle(CASE_ID, 1, "{}", DONE, [])).rejects.toMatchObject({ code: "lease_lost" });
  });
  expect(approvals(ledger, "state, receipt")).toEqual([{ state: "approved", receipt: null }]);
});

test("a requoted case takes its next proposal in the next round", async () => {
  const { ledger, stores, digest } = await waitingLedger();
  await stores.approvals.decide(CASE_ID, { decision: "requote", digest, by: "alice" }, alice);
  expect((await placeIn(stores, proposal({}, { round: 2 }), 2)).kind).toBe("placed");
  expect(approvals(ledger, "round, state, void_code")).toEqual([
    { round: 1, state: "void", void_code: "requoted" },
    { round: 2, state: "pending", void_code: null },
  ]);
  expect(await stores.approvals.latest(CASE_ID)).toMatchObject({ round: 2, state: "pending" });
});
