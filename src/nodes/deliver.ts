/** Owns handing the result over: the answer on the case row, and the exact proposal when a refund may be decided. Repeating it changes nothing. */
import { checkProposal } from "../domain/answer-guards.js";
import { type Approval, isOpen } from "../domain/approval.js";
import { type CaseEvidence, type CaseRow, type CaseUpdate, hasEnded, isDelivered } from "../domain/case.js";
import type { Clock } from "../domain/clock.js";
import { AftersalesError, isErrorCode } from "../domain/errors.js";
import { hostAnswer, requoteNote } from "../domain/host-answers.js";
import type { OrderId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { Approvals, Artifacts, Cases } from "../domain/ports.js";
import { proposeRefund } from "../domain/proposal.js";
import type { Quote } from "../domain/refund-policy.js";
import type { QuoteOrder } from "../tools/calculate-refund.js";
import { outcomeOf } from "./case-outcome.js";
import type { CaseState, ProposalView } from "./case-state.js";
import type { Node, Unit } from "./unit.js";

type Deps = { cases: Cases; approvals: Approvals; artifacts: Artifacts; quoteOrder: QuoteOrder; clock: Clock };
type Update = Pick<CaseState, "proposal" | "refusal"> & Partial<Pick<CaseState, "answer" | "quote">>;

export function createDeliver(deps: Deps): Node<CaseState, Update & Pick<CaseState, "outcome">> {
  const { cases, approvals, artifacts } = deps;
  return async (state, unit) => {
    const row = await cases.find(unit.caseId);
    if (row === null) throw new AftersalesError("case_not_accessible");
    const latest = await approvals.latest(unit.caseId);
    const update = hasEnded(row.status)
      ? { proposal: null, refusal: null }
      : latest === null
        ? await deliverFirst(deps, state, row, unit)
        : latest.state === "void" && latest.voidCode === "requoted"
          ? await requote(deps, row, latest, unit)
          : await deliverAgain(deps, row, latest, unit);
    await cases.update(unit.caseId, { artifact: await artifacts.write(unit.caseId) });
    return { ...update, outcome: outcomeOf(await cases.find(unit.caseId), await approvals.latest(unit.caseId)) };
  };
}

/** The proposal is there already. A delivery that failed after committing it has left a row that says otherwise. */
async function deliverAgain({ cases }: Deps, row: CaseRow, latest: Approval, unit: Unit): Promise<Update> {
  const stands = isOpen(latest)
    ? ({ status: "waiting_approval", phase: "approve" } as const)
    : ({ status: "queued", phase: "settle" } as const);
  if (!isDelivered(row)) await cases.update(unit.caseId, { ...stands, errorCode: null });
  return { proposal: viewOf(latest), refusal: null };
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
    quote.orderId === row.orderId &&
    checkProposal(answer, { language: row.language, plan: brief, quote, facts: new Map(), passages: new Map() }) ===
      null;
  if (!mayPropose) {
    const status = answer.nextAction === "answer" ? "completed" : "needs_input";
    await deps.cases.update(unit.caseId, { ...delivered, status, phase: "done", errorCode: state.problem }, [
      { phase: "deliver", status, ...(state.problem === null ? {} : { code: state.problem }) },
    ]);
    return { proposal: null, refusal: null, answer };
  }
  // The amount never comes out of state, which a client of the graph can edit: the order is read and quoted once more.
  const fresh = await quoteAgain(deps, row, quote.orderId, unit);
  if (fresh.quoteId === quote.quoteId) return place(deps, row, fresh, 1, { ...delivered, quote: fresh }, unit);
  const unconfirmed = hostAnswer("not_confirmed", row.language);
  const change = {
    ...delivered,
    answer: unconfirmed,
    quote: fresh,
    status: "needs_input" as const,
    phase: "done" as const,
  };
  await deps.cases.update(unit.caseId, change, [{ phase: "deliver", status: "needs_input", code: "quote_changed" }]);
  return { proposal: null, refusal: null, answer: unconfirmed, quote: fresh };
}

/** A fresh quote by host code for the case's applicant. Throws the code of what stood in the way. */
async function quoteAgain(deps: Deps, row: CaseRow, orderId: OrderId, unit: Unit): Promise<Quote> {
  const { language, tenant, applicant } = row;
  const options = { signal: unit.signal, remainingMs: () => Math.min(LIMITS.toolCallMs, unit.remainingMs()) };
  const fresh = await deps.quoteOrder({ orderId, applicant: { tenant, user: applicant }, language }, options);
  if (fresh.kind === "cancelled") throw new AftersalesError("cancelled");
  if (fresh.kind === "error")
    throw new AftersalesError(isErrorCode(fresh.error.code) ? fresh.error.code : "tool_failed");
  return fresh.quote;
}

/** A renewed proposal is host work: fresh order, fresh quote, fresh pages. The explanation stays, with a line that says what changed. */
async function requote(deps: Deps, row: CaseRow, latest: Approval, unit: Unit): Promise<Update> {
  const { language } = row;
  const fresh = await quoteAgain(deps, row, latest.proposal.orderId, unit);
  if (fresh.eligible) {
    const delivered = { answer: withNote(row, requoteNote("renewed", language)), quote: fresh };
    return place(deps, row, fresh, latest.round + 1, delivered, unit);
  }
  const answer = withNote(row, requoteNote("refused", language));
  const change = { answer, quote: fresh, status: "completed" as const, phase: "done" as const };
  await deps.cases.update(unit.caseId, change, [{ phase: "deliver", status: "completed", code: fresh.reason }]);
  return { proposal: null, refusal: null, quote: fresh };
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
      .filter((ref) => cited.has(ref.id) || ref.mandatory)
      .map(({ id, version, textHash }) => ({ id, version, textHash })),
  };
}
