/** Owns which node comes next. Where money is concerned the approvals row decides, never state: state can be edited by a client. */
import { END } from "@langchain/langgraph";
import { type Approval, isOpen } from "../domain/approval.js";
import { type CaseRow, hasEnded } from "../domain/case.js";
import type { CaseState, InvestigateState, ReviewState } from "../nodes/case-state.js";

type End = typeof END;

/** A new case is planned; new input on a known one leads back to where it stands, with the proposal as its row has it. */
export function afterIntake(row: CaseRow | null, approval: Approval | null): "plan" | "deliver" | "approve" | End {
  if (row === null || hasEnded(row.status)) return END;
  if (approval === null) return "plan";
  const decided = approval.state === "rejected" || approval.state === "withdrawn" || approval.state === "settled";
  return decided ? "approve" : "deliver";
}

export function afterPlan(state: Pick<CaseState, "answer">): "investigate" | "deliver" {
  return state.answer === null ? "investigate" : "deliver";
}

export function afterDeliver(approval: Approval | null): "approve" | End {
  return approval !== null && (isOpen(approval) || approval.state === "approved") ? "approve" : END;
}

export function afterApprove(approval: Approval | null): "settle" | "deliver" | "approve" | End {
  if (approval === null) return END;
  if (approval.state === "approved") return "settle";
  if (isOpen(approval)) return "approve";
  return approval.state === "void" ? "deliver" : END;
}

/** A refusal of the service made the proposal void: the case waits again. */
export function afterSettle(approval: Approval | null): "approve" | "deliver" | End {
  const next = afterApprove(approval);
  return next === "settle" ? END : next;
}

export function afterThink(state: Pick<InvestigateState, "finished" | "pending">): "act" | End {
  return state.finished || state.pending.length === 0 ? END : "act";
}

export function afterAct(state: Pick<InvestigateState, "finished">): "think" | End {
  return state.finished ? END : "think";
}

export function afterCompose(state: Pick<ReviewState, "answer" | "candidate">): "critique" | "compose" | End {
  if (state.answer !== null) return END;
  return state.candidate === null ? "compose" : "critique";
}

export function afterCritique(state: Pick<ReviewState, "answer">): "compose" | End {
  return state.answer === null ? "compose" : END;
}
