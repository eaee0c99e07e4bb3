/** Owns the approvals: the only authority on whether a refund was approved. Every change is a compare-and-set in one transaction. */
import { sql } from "kysely";
import { type Approval, checkDecision, type DecisionAnswer } from "../domain/approval.js";
import { type Clock, toInstant } from "../domain/clock.js";
import { AftersalesError } from "../domain/errors.js";
import type { Identity } from "../domain/identity.js";
import { CaseId } from "../domain/ids.js";
import type { Approvals, NewEvent, ProposalPlacing } from "../domain/ports.js";
import { isExpired, type Proposal, proposalDigest } from "../domain/proposal.js";
import type { ApplicationDb, ApplicationTrx } from "./application-database.js";
import { latestApproval, toApproval } from "./approval-rows.js";
import { updateCase } from "./case-store.js";
import type { WriteCase } from "./case-writes.js";
import { appendEvents } from "./event-log.js";
import type { GrantSigner } from "./grant-signer.js";

type Deps = { db: ApplicationDb; clock: Clock; write: WriteCase; signer: GrantSigner };

export function createApprovalLedger({ db, clock, write, signer }: Deps): Approvals {
  return {
    latest: (caseId) => latestApproval(db, caseId),

    async place(proposal, round, change, events) {
      return write(proposal.caseId, async (trx): Promise<ProposalPlacing> => {
        const own = await latestApproval(trx, proposal.caseId);
        if (own !== null && own.round >= round) return { kind: "placed", approval: own };
        const occupied = await clearOrder(trx, clock, proposal);
        if (occupied !== null) return occupied;
        await insert(trx, proposal, round);
        await updateCase(trx, clock, proposal.caseId, change, events);
        const placed = await latestApproval(trx, proposal.caseId);
        if (placed === null) throw new AftersalesError("internal_error");
        return { kind: "placed", approval: placed };
      });
    },

    async decide(caseId, raw, caller) {
      return db.transaction().execute(async (trx) => {
        const approval = await latestApproval(trx, caseId);
        if (approval === null) return { ok: false, code: "case_not_accessible" } as const;
        const nowMs = await caseTime(trx, clock, caseId);
        const checked = checkDecision(raw, approval, caller, nowMs);
        if (!checked.ok) {
          const seen = { phase: "approve", status: "decision_refused", code: checked.code };
          // A caller who may not know of the case leaves no trace in it either.
          if (checked.code !== "case_not_accessible") await appendEvents(trx, clock, caseId, [seen]);
          return checked;
        }
        if (checked.answer.decision === "continue") return { ok: true, approval } as const;
        await record(trx, approval, checked.answer, caller, toInstant(nowMs));
        await appendEvents(trx, clock, caseId, [{ phase: "approve", status: `decision_${checked.answer.decision}` }]);
        const decided = await latestApproval(trx, caseId);
        return { ok: true, approval: decided ?? approval } as const;
      });
    },

    async settle(caseId, round, receipt, change, events) {
      await changeApproved(caseId, round, { state: "settled", receipt }, change, events);
    },

    async voidUnpaid(caseId, round, code, change, events) {
      await changeApproved(caseId, round, { state: "void", void_code: code }, change, events);
    },
  };

  /** Approving signs the grant in the same transaction: there is never an approved row without its grant, nor the reverse. */
  async function record(
    trx: ApplicationTrx,
    approval: Approval,
    answer: DecisionAnswer,
    caller: Identity,
    decidedAt: string,
  ): Promise<void> {
    const decider = { reviewer: caller.user, decided_at: decidedAt, reason: answer.reason ?? null };
    const change = {
      approve: { state: "approved", ...decider },
      reject: { state: "rejected", ...decider },
      withdraw: { state: "withdrawn", decided_at: decidedAt, reason: answer.reason ?? null },
      requote: { state: "void", void_code: "requoted" },
      continue: {},
    }[answer.decision];
    const grant =
      answer.decision === "approve"
        ? {
            grant_jws: await signer.sign({
              v: 1,
              decision: "approve",
              reviewer: caller.user,
              decidedAt,
              proposal: approval.proposal,
            }),
          }
        : {};
    const changed = await trx
      .updateTable("approvals")
      .set({ ...change, ...grant })
      .where("approval_id", "=", approval.proposal.approvalId)
      .where("digest", "=", approval.digest)
      .where("state", "=", approval.state)
      .executeTakeFirst();
    if (changed.numUpdatedRows !== 1n) throw new AftersalesError("internal_error");
  }

  async function changeApproved(
    caseId: CaseId,
    round: number,
    set: { state: string; receipt?: string; void_code?: string },
    change: Parameters<Approvals["settle"]>[3],
    events: readonly NewEvent[],
  ): Promise<void> {
    await write(caseId, async (trx) => {
      const changed = await trx
        .updateTable("approvals")
        .set(set)
        .where("case_id", "=", caseId)
        .where("round", "=", round)
        .where("state", "=", "approved")
        .executeTakeFirst();
      if (changed.numUpdatedRows !== 1n) throw new AftersalesError("internal_error");
      await updateCase(trx, clock, caseId, change, events);
    });
  }
}

/** Finds the proposal that may still be paid for this order. An expired, undecided one is closed here, so that it cannot block for ever. */
async function clearOrder(
  trx: ApplicationTrx,
  clock: Clock,
  proposal: Proposal,
): Promise<{ kind: "occupied"; live: { caseId: CaseId; expiresAt: string } } | null> {
  const row = await trx
    .selectFrom("approvals")
    .selectAll()
    .where("tenant", "=", proposal.tenant)
    .where("order_id", "=", proposal.orderId)
    .where("state", "in", ["pending", "approved"])
    .executeTakeFirst();
  if (row === undefined) return null;
  const other = toApproval(row);
  if (other.state === "pending" && isExpired(other.proposal, clock.nowMs())) {
    await trx
      .updateTable("approvals")
      .set({ state: "void", void_code: "expired" })
      .where("approval_id", "=", row.approval_id)
      .execute();
    await appendEvents(trx, clock, CaseId.parse(row.case_id), [{ phase: "approve", status: "expired" }]);
    return null;
  }
  return { kind: "occupied", live: { caseId: CaseId.parse(row.case_id), expiresAt: other.proposal.expiresAt } };
}

/**
 * A clock that was set back between two processes revives no proposal: what the case has seen since its proposal is not before now. What
 * was seen before it does not count, so that a new proposal heals a case that once ran under a clock that was ahead.
 */
async function caseTime(trx: ApplicationTrx, clock: Clock, caseId: CaseId): Promise<number> {
  const proposed = trx
    .selectFrom("events")
    .select((eb) => eb.fn.coalesce(eb.fn.max("number"), sql.lit(0)).as("number"))
    .where("case_id", "=", caseId)
    .where("phase", "=", "deliver")
    .where("status", "=", "waiting_approval");
  const row = await trx
    .selectFrom("events")
    .select((eb) => eb.fn.max("at").as("latest"))
    .where("case_id", "=", caseId)
    .where("number", ">=", proposed)
    .executeTakeFirst();
  return row?.latest == null ? clock.nowMs() : Math.max(clock.nowMs(), Date.parse(row.latest));
}

async function insert(trx: ApplicationTrx, proposal: Proposal, round: number): Promise<void> {
  await trx
    .insertInto("approvals")
    .values({
      approval_id: proposal.approvalId,
      case_id: proposal.caseId,
      round,
      tenant: proposal.tenant,
      order_id: proposal.orderId,
      proposal: JSON.stringify(proposal),
      digest: proposalDigest(proposal),
      state: "pending",
      void_code: null,
      reviewer: null,
      decided_at: null,
      reason: null,
      grant_jws: null,
      receipt: null,
      expires_at: proposal.expiresAt,
    })
    .execute();
}
