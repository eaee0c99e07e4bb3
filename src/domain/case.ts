/** Owns the life of a case: its statuses, its phases and the row that describes it. */
import { z } from "zod";
import { Answer } from "./contracts.js";
import { CaseId, Instant, Language, OrderId, PassageId, Sha256Hex, TenantId, UserId } from "./ids.js";
import { Quote } from "./refund-policy.js";

export const CaseStatus = z.enum([
  "queued",
  "running",
  "waiting_approval",
  "completed",
  "needs_input",
  "rejected",
  "withdrawn",
  "failed",
]);
export type CaseStatus = z.infer<typeof CaseStatus>;

export const CasePhase = z.enum(["plan", "investigate", "review", "deliver", "approve", "settle", "done"]);
export type CasePhase = z.infer<typeof CasePhase>;

const ENDED: readonly CaseStatus[] = ["completed", "needs_input", "rejected", "withdrawn"];

/** Ended for good. A failed case is not: it can be retried. */
export function hasEnded(status: CaseStatus): boolean {
  return ENDED.includes(status);
}

/** Its answer has been handed over: it waits for a decision, is being paid, or has ended. What led to the answer is not done again. */
export function isDelivered({ status, phase }: { status: CaseStatus; phase: CasePhase }): boolean {
  return hasEnded(status) || phase === "approve" || phase === "settle";
}

/** Another case already holds the one live proposal this order may have. */
export const LiveProposal = z.strictObject({ caseId: CaseId, expiresAt: Instant });
export type LiveProposal = z.infer<typeof LiveProposal>;

/** What the delivered answer rests on, as it stood then: the records read, and the passages by id, version and text hash. */
export const CaseEvidence = z.strictObject({
  facts: z.array(z.strictObject({ sourceId: z.string(), data: z.string() })),
  passages: z.array(z.strictObject({ id: PassageId, version: z.string(), textHash: Sha256Hex })),
});
export type CaseEvidence = z.infer<typeof CaseEvidence>;

export const CaseRow = z.strictObject({
  caseId: CaseId,
  tenant: TenantId,
  applicant: UserId,
  question: z.string(),
  language: Language,
  model: z.string(),
  graphVersion: z.string(),
  status: CaseStatus,
  phase: CasePhase,
  orderId: OrderId.nullable(),
  answer: Answer.nullable(),
  quote: Quote.nullable(),
  evidence: CaseEvidence.nullable(),
  liveProposal: LiveProposal.nullable(),
  artifact: z.string().nullable(),
  errorCode: z.string().nullable(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type CaseRow = z.infer<typeof CaseRow>;

/** What a phase may change on the row; absent means unchanged. */
export type CaseUpdate = Partial<
  Pick<
    CaseRow,
    "status" | "phase" | "orderId" | "answer" | "quote" | "evidence" | "liveProposal" | "artifact" | "errorCode"
  >
>;
