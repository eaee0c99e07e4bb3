/** Owns the case as `--json` shows it. Its shape is a contract: names only ever get added. */
import { standingOf } from "../domain/approval.js";
import { decisionOf } from "../domain/case-record.js";
import type { Answer } from "../domain/contracts.js";
import { categoryOf, type ErrorCode, isErrorCode, sentenceOf } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import type { CaseEvent, CaseFile } from "../domain/ports.js";
import type { Proposal } from "../domain/proposal.js";
import { Receipt } from "../domain/receipt.js";
import type { Quote } from "../domain/refund-policy.js";

export type CaseView = {
  caseId: string;
  status: string;
  phase: string;
  language: "zh" | "en";
  model: string;
  question: string;
  answer?: Answer;
  quote?: Quote;
  proposal?: Proposal & { state: string };
  digest?: string;
  interruptId?: string;
  liveProposal?: { caseId: string; expiresAt: string };
  decision?: { decision: string; reviewer?: string; decidedAt: string; reason?: string };
  receipt?: Receipt;
  artifact?: string;
  /** `event`: the number under which the log keeps the cause, for the merchant's staff (`inspect --event`). */
  error?: { code: string; category: string; message: string; event?: number };
  budget: { model: { used: number; limit: number }; tools: { used: number; limit: number } };
  evidence?: {
    passages: { id: string; page: string; title: string; body: string }[];
    facts: { id: string; data: unknown }[];
  };
  events?: CaseEvent[];
};

export type ViewOptions = {
  interruptId?: string | null;
  events?: CaseEvent[];
  artifactsDir: string;
  withEvidence?: boolean;
  nowMs: number;
  /** Why the command did not finish the case; a full disk may have kept that from being saved with it. */
  failure?: ErrorCode | null;
};

export function caseView({ row, approval, budget, passages, causeEvent }: CaseFile, options: ViewOptions): CaseView {
  const decision = approval === null ? null : decisionOf(approval);
  const saved = row.errorCode === null || !isErrorCode(row.errorCode) ? null : row.errorCode;
  const error = options.failure ?? saved;
  return {
    caseId: row.caseId,
    status: row.status,
    phase: row.phase,
    language: row.language,
    model: row.model,
    question: row.question,
    ...(row.answer === null ? {} : { answer: row.answer }),
    ...(row.quote === null ? {} : { quote: row.quote }),
    ...(approval === null ? {} : proposalView(approval, options.nowMs)),
    ...(options.interruptId == null ? {} : { interruptId: options.interruptId }),
    ...(row.liveProposal === null ? {} : { liveProposal: row.liveProposal }),
    ...(decision === null
      ? {}
      : {
          decision: {
            decision: decision.decision,
            ...(decision.reviewer === null ? {} : { reviewer: decision.reviewer }),
            decidedAt: decision.decidedAt,
            ...(decision.reason === null ? {} : { reason: decision.reason }),
          },
        }),
    ...(approval?.receipt == null ? {} : { receipt: Receipt.parse(JSON.parse(approval.receipt)) }),
    ...(row.artifact === null ? {} : { artifact: `${options.artifactsDir}/${row.artifact}` }),
    ...(error === null
      ? {}
      : {
          error: {
            code: error,
            category: categoryOf(error),
            message: sentenceOf(error, row.language),
            ...(causeEvent === null ? {} : { event: causeEvent }),
          },
        }),
    budget: {
      model: { used: budget.model, limit: LIMITS.modelRequestsPerCase },
      tools: { used: budget.tool, limit: LIMITS.toolRequestsPerCase },
    },
    ...(options.withEvidence === true ? { evidence: evidenceView(row, passages) } : {}),
    ...(options.events === undefined ? {} : { events: options.events }),
  };
}

function proposalView(
  approval: NonNullable<CaseFile["approval"]>,
  nowMs: number,
): Pick<CaseView, "proposal" | "digest"> {
  const undecided = approval.state === "pending" || approval.state === "void";
  const state = undecided ? standingOf(approval, nowMs) : approval.state;
  return { proposal: { ...approval.proposal, state }, digest: approval.digest };
}

function evidenceView(row: CaseFile["row"], passages: CaseFile["passages"]): NonNullable<CaseView["evidence"]> {
  return {
    passages: passages.map(({ id, page, title, heading, body }) => ({ id, page, title: `${title}: ${heading}`, body })),
    facts: (row.evidence?.facts ?? [])
      .filter(({ sourceId }) => row.answer?.citations.includes(sourceId))
      .map(({ sourceId, data }) => ({ id: sourceId, data: JSON.parse(data) })),
  };
}
