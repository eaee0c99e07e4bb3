import { CompactSign, generateKeyPair } from "jose";
import { describe, expect, test } from "vitest";
import { toInstant } from "../../src/domain/clock.js";
import { GRANT_ALGORITHM, GRANT_TYPE, grantText } from "../../src/domain/grant.js";
import { UserId } from "../../src/domain/ids.js";
import { Proposal, proposalDigest } from "../../src/domain/proposal.js";
import {
  approvalOf,
  caseOf,
  clocksMoved,
  codeOf,
  MINUTE,
  moneyOf,
  PAID_ONCE,
  review,
  run,
  UNPAID,
  waitingOf,
} from "../support/graph-case.js";
import { askForRefund, Waiting } from "../support/refund-story.js";
import { createWorkspace, jsonOf, type Workspace } from "../support/workspace.js";

/** Rewrites the proposal of a case's row, with the digest that then belongs to it unless `keepDigest`. */
function editProposal(
  workspace: Workspace,
  caseId: string,
  change: { amountCents?: number; createdAt?: string; expiresAt?: string },
  options: { keepDigest?: boolean } = {},
): string {
  const row = approvalOf(workspace, caseId);
  const edited = Proposal.parse({ ...Proposal.parse(JSON.parse(row.proposal)), ...change });
  const digest = options.keepDigest === true ? row.digest : proposalDigest(edited);
  workspace.tamper(
    "application",
    "update approvals set proposal = ?, digest = ?, expires_at = ? where case_id = ?",
    ...[JSON.stringify(edited), digest, edited.expiresAt, caseId],
  );
  return digest;
}

async function askEarlier(workspace: Workspace, minutes: number): Promise<Waiting> {
  const args = ["--json", "ask", "Please refund QH-1001.", "--language", "en"];
  return Waiting.parse(jsonOf(await workspace.inProcess(args, { clocks: clocksMoved(-minutes * MINUTE) })));
}

/** Executes what the row says is approved; the service refuses, the case waits, and a fresh proposal is still paid. */
async function expectRefused(workspace: Workspace, caseId: string, code: string): Promise<void> {
  const resumed = await run(workspace, "resume", caseId);
  expect(jsonOf(resumed)).toMatchObject({ status: "waiting_approval", error: { code } });
  expect(approvalOf(workspace, caseId)).toMatchObject({ state: "void", receipt: null });
  expect(moneyOf(workspace)).toEqual(UNPAID);
  const renewed = waitingOf(await run(workspace, "requote", caseId));
  expect(renewed.proposal).toMatchObject({ amountCents: 12_900, state: "live" });
  await review(workspace, renewed, "--approve");
  await run(workspace, "resume", caseId);
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
}

const APPROVED =
  "update approvals set state = 'approved', reviewer = 'chen', decided_at = ?, grant_jws = ? where case_id = ?";

describe("a row of the approvals table that somebody set to approved", () => {
  test("pays nothing without a grant", async () => {
    const workspace = createWorkspace();
    const { caseId } = await askForRefund(workspace);
    workspace.tamper("application", APPROVED, toInstant(Date.now()), null, caseId);
    await expectRefused(workspace, caseId, "grant_invalid");
  });

  test("pays nothing with the grant of another approval", async () => {
    const workspace = createWorkspace();
    const other = await askForRefund(workspace, "QH-1009");
    await review(workspace, other, "--approve");
    const { caseId } = await askForRefund(workspace);
    const { grant_jws } = approvalOf(workspace, other.caseId);
    workspace.tamper("application", APPROVED, toInstant(Date.now()), grant_jws, caseId);
    await expectRefused(workspace, caseId, "grant_other_approval");
  });

  test("pays nothing with a grant signed by another key", async () => {
    const workspace = createWorkspace();
    const { caseId } = await askForRefund(workspace);
    const proposal = Proposal.parse(JSON.parse(approvalOf(workspace, caseId).proposal));
    const { privateKey } = await generateKeyPair(GRANT_ALGORITHM, { crv: "Ed25519" });
    const decidedAt = toInstant(Date.now());
    const text = grantText({ v: 1, decision: "approve", reviewer: UserId.parse("chen"), decidedAt, proposal });
    const forged = await new CompactSign(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: GRANT_ALGORITHM, typ: GRANT_TYPE })
      .sign(privateKey);
    workspace.tamper("application", APPROVED, decidedAt, forged, caseId);
    await expectRefused(workspace, caseId, "grant_invalid");
  });
});

describe("a proposal that somebody rewrote in its row", () => {
  test("cannot be approved under its old digest", async () => {
    const workspace = createWorkspace();
    const waiting = await askForRefund(workspace);
    editProposal(workspace, waiting.caseId, { amountCents: 999_900 }, { keepDigest: true });
    expect(codeOf(await review(workspace, waiting, "--approve"))).toBe("digest_mismatch");
    expect(approvalOf(workspace, waiting.caseId)).toMatchObject({ state: "pending", grant_jws: null });
  });

  test("pays nothing when it is approved under a digest made to fit another amount", async () => {
    const workspace = createWorkspace();
    const { caseId } = await askForRefund(workspace);
    const digest = editProposal(workspace, caseId, { amountCents: 999_900 });
    expect((await review(workspace, { caseId, digest }, "--approve")).code).toBe(0);
    await expectRefused(workspace, caseId, "quote_changed");
  });

  test("pays nothing when it was approved for another amount than is executed", async () => {
    const workspace = createWorkspace();
    const waiting = await askForRefund(workspace);
    await review(workspace, waiting, "--approve");
    const digest = editProposal(workspace, waiting.caseId, { amountCents: 1 });
    // The grant is genuine, so the service pays what the reviewer approved; the host sees that this is not what its row says.
    const resumed = await run(workspace, "resume", waiting.caseId);
    expect([resumed.code, codeOf(resumed)]).toEqual([1, "receipt_mismatch"]);
    expect(caseOf(workspace, waiting.caseId).status).toBe("failed");
    expect(resumed.stdout).not.toContain("SIM-");
    expect(approvalOf(workspace, waiting.caseId)).toMatchObject({ digest, receipt: null });
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });

  test("is not revived by moving its times", async () => {
    const workspace = createWorkspace();
    const waiting = await askEarlier(workspace, 20);
    const times = { createdAt: toInstant(Date.now()), expiresAt: toInstant(Date.now() + 15 * MINUTE) };
    editProposal(workspace, waiting.caseId, times, { keepDigest: true });
    expect(codeOf(await review(workspace, waiting, "--approve"))).toBe("digest_mismatch");
    workspace.tamper("application", "update approvals set expires_at = ?", times.expiresAt);
    expect(approvalOf(workspace, waiting.caseId)).toMatchObject({ state: "pending", grant_jws: null });
    expect(moneyOf(workspace)).toEqual(UNPAID);
  });

  test.each(["its times", "its reviewer"])(
    "and approved too long ago pays nothing when %s are rewritten",
    async (what) => {
      const workspace = createWorkspace();
      const waiting = await askEarlier(workspace, 20);
      const clocks = clocksMoved(-20 * MINUTE);
      expect((await review(workspace, waiting, "--approve", { clocks })).code).toBe(0);
      if (what === "its times") {
        const times = { createdAt: toInstant(Date.now()), expiresAt: toInstant(Date.now() + 15 * MINUTE) };
        editProposal(workspace, waiting.caseId, times);
      }
      const decided = "update approvals set reviewer = 'mei', decided_at = ? where case_id = ?";
      workspace.tamper("application", decided, toInstant(Date.now()), waiting.caseId);
      await expectRefused(workspace, waiting.caseId, "approval_expired");
    },
  );
});
