/** Owns the decision on a proposal: what an answer may look like, who may give it, in which order it is refused, and which states follow. */
import { z } from "zod";
import type { Identity } from "./identity.js";
import { Instant, Sha256Hex, UserId } from "./ids.js";
import { LIMITS } from "./limits.js";
import { isExpired, Proposal, proposalDigest } from "./proposal.js";

/** What a client sends to a waiting case. `by` names the decider, so that somebody who merely continues a crashed run decides nothing. */
export const DecisionAnswer = z.strictObject({
  decision: z.enum(["approve", "reject", "requote", "withdraw", "continue"]),
  digest: Sha256Hex,
  by: UserId,
  reason: z.string().max(LIMITS.decisionReasonChars).optional(),
});
export type DecisionAnswer = z.infer<typeof DecisionAnswer>;

export const ApprovalState = z.enum(["pending", "approved", "rejected", "withdrawn", "void", "settled"]);
export type ApprovalState = z.infer<typeof ApprovalState>;

/** Why a proposal became void. `requoted` leads to a new proposal; the others leave the case waiting for somebody to act. */
export const VoidCode = z.enum(["requoted", "expired", "stale", "grant_refused"]);
export type VoidCode = z.infer<typeof VoidCode>;

export const Approval = z.strictObject({
  round: z.int().min(1),
  proposal: Proposal,
  digest: Sha256Hex,
  state: ApprovalState,
  voidCode: VoidCode.nullable(),
  reviewer: UserId.nullable(),
  decidedAt: Instant.nullable(),
  reason: z.string().nullable(),
  grant: z.string().nullable(),
  receipt: z.string().nullable(),
});
export type Approval = z.infer<typeof Approval>;

/** How a proposal looks to a person: `live` can be approved, the other two allow reject, requote and withdraw. */
export type ProposalStanding = "live" | "expired" | "stale";

export function standingOf(
  approval: Pick<Approval, "state" | "voidCode" | "proposal">,
  nowMs: number,
): ProposalStanding {
  if (approval.state === "void") return approval.voidCode === "expired" ? "expired" : "stale";
  return isExpired(approval.proposal, nowMs) ? "expired" : "live";
}

/** Whether somebody can still act on it: it is undecided, or void for a reason that nobody has answered yet. */
export function isOpen(approval: Pick<Approval, "state" | "voidCode">): boolean {
  return approval.state === "pending" || (approval.state === "void" && approval.voidCode !== "requoted");
}

export type DecisionRefusal =
  | "case_not_accessible"
  | "invalid_decision"
  | "not_reviewer"
  | "self_approval"
  | "decision_not_yours"
  | "digest_mismatch"
  | "already_decided"
  | "approval_expired";

/** Whether a caller may know that a case exists: its applicant, or a reviewer of its tenant. */
export function mayAccessCase(owner: { tenant: string; applicant: string }, caller: Identity): boolean {
  return caller.tenant === owner.tenant && (caller.role === "reviewer" || caller.user === owner.applicant);
}

/**
 * Why an answer must be refused, or null when it may be recorded. The order is part of the contract: a caller without access learns
 * nothing else, and a wrong digest is reported before anything about the proposal's state. `raw` is whatever the client sent.
 */
export function checkDecision(
  raw: unknown,
  approval: Approval,
  caller: Identity,
  nowMs: number,
): { ok: true; answer: DecisionAnswer } | { ok: false; code: DecisionRefusal } {
  const { proposal } = approval;
  if (!mayAccessCase(proposal, caller)) return { ok: false, code: "case_not_accessible" };
  const parsed = DecisionAnswer.safeParse(raw);
  if (!parsed.success) return { ok: false, code: "invalid_decision" };
  const answer = parsed.data;
  const code = refusalOf(answer, approval, caller, nowMs);
  return code === null ? { ok: true, answer } : { ok: false, code };
}

function refusalOf(
  answer: DecisionAnswer,
  approval: Approval,
  caller: Identity,
  nowMs: number,
): DecisionRefusal | null {
  if (answer.decision === "continue") return null;
  const { proposal } = approval;
  const isReviewer = caller.role === "reviewer";
  const isApplicant = caller.user === proposal.applicant;
  const reviewersOnly = answer.decision === "approve" || answer.decision === "reject";
  if (reviewersOnly && !isReviewer) return "not_reviewer";
  if (reviewersOnly && isApplicant) return "self_approval";
  if (answer.by !== caller.user || (answer.decision === "withdraw" && !isApplicant)) return "decision_not_yours";
  if (answer.digest !== approval.digest || proposalDigest(proposal) !== approval.digest) return "digest_mismatch";
  if (!isOpen(approval)) return "already_decided";
  if (answer.decision === "approve" && standingOf(approval, nowMs) !== "live") return "approval_expired";
  return null;
}
