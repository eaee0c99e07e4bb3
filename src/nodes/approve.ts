/** Owns the wait for a human. It begins with the product's only interrupt; what is decided is recorded in the approvals row, never in state. */
import { interrupt } from "@langchain/langgraph";
import type { ApprovalState } from "../domain/approval.js";
import type { CaseUpdate } from "../domain/case.js";
import type { Approvals, Artifacts, Cases } from "../domain/ports.js";
import { outcomeOf } from "./case-outcome.js";
import type { CaseState } from "./case-state.js";
import type { Node } from "./unit.js";
import { waitingView } from "./waiting-view.js";

type Deps = { approvals: Approvals; cases: Cases; artifacts: Artifacts };
type Update = Pick<CaseState, "refusal" | "proposal" | "outcome">;

/**
 * Nothing stands before the interrupt: LangGraph runs a node again from its top on resume. After it, any answer is recorded or
 * refused as a value; an error thrown here would store the answer for good and no later one could be given.
 */
export function createApprove({ approvals, cases, artifacts }: Deps): Node<CaseState, Update> {
  return async (state, unit) => {
    const answer: unknown = interrupt(waitingView(state, unit.signing));
    const { caseId } = unit;
    const decided = await approvals.decide(caseId, answer, unit.callerFor(answer));
    const refusal = decided.ok ? null : decided.code;
    // The row wins whatever the answer said: a decision may have been recorded elsewhere in the meantime.
    const row = decided.ok ? decided.approval : await approvals.latest(caseId);
    const change = row === null ? undefined : CHANGES[row.state];
    if (change === undefined) return { refusal, proposal: state.proposal, outcome: state.outcome };
    await cases.update(caseId, change);
    const outcome = outcomeOf(await cases.find(caseId), row);
    if (change.phase !== "done") return { refusal, proposal: state.proposal, outcome };
    await cases.update(caseId, { artifact: await artifacts.write(caseId) });
    return { refusal: null, proposal: null, outcome };
  };
}

/** What the row's state means for the case. Pending and late proposals keep it waiting. */
const CHANGES: Partial<Record<ApprovalState, CaseUpdate>> = {
  approved: { status: "queued", phase: "settle", errorCode: null },
  rejected: { status: "rejected", phase: "done", errorCode: null },
  withdrawn: { status: "withdrawn", phase: "done", errorCode: null },
};
