/** Owns handing the result over: the answer on the case row, and the exact proposal when a refund may be decided. Repeating it changes nothing. */

import { checkProposal } from "../domain/answer-guards.js";
import { type Approval, isOpen } from "../domain/approval.js";
import type { CaseEvidence, CaseRow, CaseUpdate } from "../domain/case.js";
import type { Clock } from "../domain/clock.js";
import { AftersalesError } from "../domain/errors.js";
import { pageOf } from "../domain/evidence.js";
import { hostAnswer, requoteNote } from "../domain/host-answers.js";
import { LIMITS } from "../domain/limits.js";
import type { Approvals, Artifacts, Cases } from "../domain/ports.js";
import { proposeRefund } from "../domain/proposal.js";
import type { Quote } from "../domain/refund-policy.js";
import type { QuoteOrder } from "../tools/calculate-refund.js";
import type { CaseState, ProposalView } from "./case-state.js";
import type { Node, Unit } from "./unit.js";

type Deps = { cases: Cases; approvals: Approvals; artifacts: Artifacts; quoteOrder: QuoteOrder; clock: Clock };
type Update = Pick<CaseState, "proposal" | "refusal"> & Partial<Pick<CaseState, "answer" | "quote">>;

export function createDeliver(deps: Deps): Node<CaseState, Update> {
  const { cases, approvals, artifacts } = deps;
  return async (state, unit) => {
    const row = await cases.find(unit.caseId);
    if (row === null) throw new AftersalesError("case_not_accessible");
    const latest = await approvals.latest(unit.caseId);
    const update =
      latest === null
        ? await deliverFirst(deps, state, row, unit)
        : latest.state === "void" && latest.voidCode === "requoted"
          ? await requote(deps, row, latest, unit)
          : { proposal: viewOf(latest), refusal: null };
    await cases.update(unit.caseId, { artifact: await artifacts.write(unit.caseId) });
    return update;
  };
}

async function deliverFirst(deps: Deps, state: CaseState, row: CaseRow, unit: Unit): Promise<Update> {
  const answer = state.answer ?? hostAnswer("not_confirmed", row.language);
  const delivered: CaseUpdate = { answer, quote: state.quote, evidence: evidenceOf(state, answer.citations) };
  const { brief, quote } = state;
  // Checked again where it counts: state can be edited between the steps.
  const mayPropose =
    answer.nextAction === "request_refund" &&
    brief !== null &&
    quote !== null &&
    checkProposal(answer, { language: row.language, plan: brief, quote, facts: new Map(), passages: new Map() }) ===
      null;
  if (!mayPropose) {
    const status = answer.nextAction === "answer" ? "completed" : "needs_input";
    await deps.cases.update(unit.caseId, { ...delivered, status, phase: "done", errorCode: state.problem }, [
      { phase: "deliver", status, ...(state.problem === null ? {} : { code: state.problem }) },
    ]);
    return { proposal: null, refusal: null, answer };
  }
  return place(deps, row, quote, 1, delivered, unit);
}

/** A renewed proposal is host work: fresh order, fresh quote, fresh pages. The explanation stays, with a line that says what changed. */
async function requote(deps: Deps, row: CaseRow, latest: Approval, unit: Unit): Promise<Update> {
  const { language, tenant, applicant } = row;
  const input = { orderId: latest.proposal.orderId, applicant: { tenant, user: applicant }, language };
  const fresh = await deps.quoteOrder(input, {
    signal: unit.signal,
    timeoutMs: Math.min(LIMITS.toolCallMs, unit.remainingMs()),
  });
  if (fresh.kind === "cancelled") throw new AftersalesError("cancelled");
  if (fresh.kind === "error") throw new AftersalesError(codeOf(fresh.error.code));
  if (fresh.quote.eligible) {
    const delivered = { answer: withNote(row, requoteNote("renewed", language)), quote: fresh.quote };
    return place(deps, row, fresh.quote, latest.round + 1, delivered, unit);
  }
  const answer = withNote(row, requoteNote("refused", language));
  const change = { answer, quote: fresh.quote, status: "completed" as const, phase: "done" as const };
  await deps.cases.update(unit.caseId, change, [{ phase: "deliver", status: "completed", code: fresh.quote.reason }]);
  return { proposal: null, refusal: null, quote: fresh.quote };
}

async function place(
  { cases, approvals, clock }: Deps,
  row: CaseRow,
  quote: Quote,
  round: number,
  delivered: CaseUpdate,
  unit: Unit,
): Promise<Update> {
  const owner = { caseId: unit.caseId, round, tenant: row.tenant, applicant: row.applicant };
  const proposal = proposeRefund(quote, owner, clock.nowMs());
  const waiting: CaseUpdate = { ...delivered, status: "waiting_approval", phase: "approve", errorCode: null };
  const placed = await approvals.place(proposal, round, waiting, [{ phase: "deliver", status: "waiting_approval" }]);
  if (placed.kind === "placed") return { proposal: viewOf(placed.approval), refusal: null, quote };
  const ended: CaseUpdate = {
    ...delivered,
    status: "completed",
    phase: "done",
    liveProposal: placed.live,
    errorCode: null,
  };
  const note = requoteNote("occupied", row.language);
  const base = delivered.answer ?? row.answer;
  const answer = base === null ? null : { ...base, answer: `${base.answer}\n\n${note}`, nextAction: "answer" as const };
  await cases.update(unit.caseId, { ...ended, answer }, [
    { phase: "deliver", status: "completed", code: "proposal_elsewhere" },
  ]);
  return { proposal: null, refusal: null, quote };
}

function viewOf(approval: Approval): ProposalView | null {
  return isOpen(approval) || approval.state === "approved" ? { ...approval.proposal, digest: approval.digest } : null;
}

function withNote(row: CaseRow, note: string): CaseRow["answer"] {
  if (row.answer === null || row.answer.answer.endsWith(note)) return row.answer;
  return { ...row.answer, answer: `${row.answer.answer}\n\n${note}`.slice(-LIMITS.answerChars) };
}

/** What the answer rests on: the records read, and the cited passages by id, version and text hash. */
function evidenceOf(state: CaseState, citations: readonly string[]): CaseEvidence {
  const cited = new Set(citations);
  return {
    facts: state.facts.map(({ sourceId, data }) => ({ sourceId, data })),
    passages: state.evidence
      .filter(
        (ref) =>
          cited.has(ref.id) ||
          (ref.mandatory && cited.size > 0 && [...cited].some((id) => pageOf(id) === pageOf(ref.id))),
      )
      .map(({ id, version, textHash }) => ({ id, version, textHash })),
  };
}

function codeOf(code: string): "commerce_unavailable" | "store_unreadable" | "order_not_accessible" | "tool_failed" {
  if (code === "commerce_unavailable" || code === "store_unreadable" || code === "order_not_accessible") return code;
  return "tool_failed";
}
