/** Owns having an approved refund executed. It asks with the same key until it knows, and believes only a receipt that matches. There is no undo: money that left is not called back. */
import { type Approval, isOpen } from "../domain/approval.js";
import { AftersalesError, isErrorCode } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import type { Approvals, Artifacts, Cases, SettlementFor, SettlementOutcome } from "../domain/ports.js";
import { receiptDifferences, receiptFromWire } from "../domain/receipt.js";
import { outcomeOf } from "./case-outcome.js";
import type { CaseState } from "./case-state.js";
import type { Node, Unit } from "./unit.js";

type Deps = { approvals: Approvals; cases: Cases; artifacts: Artifacts; settlementFor: SettlementFor };
type Update = Pick<CaseState, "proposal" | "refusal" | "outcome">;

/** Stands in for a grant that is not there: the service refuses it, or answers that this key was already paid. */
const NO_GRANT = "none";

/** Throws `settlement_outcome_unknown` (resumable for ever) and `receipt_mismatch`. Draws on no budget. */
export function createSettle({ approvals, cases, artifacts, settlementFor }: Deps): Node<CaseState, Update> {
  return async (state, unit) => {
    const { caseId } = unit;
    const row = await cases.find(caseId);
    const approval = await approvals.latest(caseId);
    if (row === null || approval === null) throw new AftersalesError("case_not_accessible");
    if (approval.state === "approved") await execute(approval, { tenant: row.tenant, user: row.applicant }, unit);
    const after = await approvals.latest(caseId);
    // The refusal was committed and something failed after it: what had begun as a payment is a wait again.
    if (after !== null && isOpen(after)) await cases.update(caseId, { status: "waiting_approval", phase: "approve" });
    await cases.update(caseId, { artifact: await artifacts.write(caseId) });
    const proposal = after?.state === "settled" ? null : state.proposal;
    return { proposal, refusal: null, outcome: outcomeOf(await cases.find(caseId), after) };
  };

  async function execute(approval: Approval, applicant: Parameters<SettlementFor>[0], unit: Unit): Promise<void> {
    const { caseId } = unit;
    const settlement = settlementFor(applicant);
    const ask = (): Promise<SettlementOutcome> =>
      settlement.execute(approval.proposal.approvalId, approval.grant ?? NO_GRANT, {
        // A payment has its own allowance: what the phase has left must never cut its answer short.
        remainingMs: () => LIMITS.toolCallMs,
      });
    const first = await ask();
    // A lost reply says nothing about the payment; the same key can only ever bring back the same receipt.
    const outcome = first.kind === "unknown" ? await ask() : first;
    if (outcome.kind === "unknown") throw new AftersalesError("settlement_outcome_unknown");
    if (outcome.kind === "refused") {
      await refused(approval, outcome.error.code, unit);
      return;
    }
    const receipt = receiptFromWire(outcome.receipt);
    const differences = receiptDifferences(receipt, approval.proposal);
    if (differences.length > 0) throw new AftersalesError("receipt_mismatch", { fields: differences.join(", ") });
    await approvals.settle(
      caseId,
      approval.round,
      JSON.stringify(receipt),
      { status: "completed", phase: "done", errorCode: null },
      [{ phase: "settle", status: "receipt" }],
    );
  }

  /** The service looked for a receipt first, so a refusal also says that nothing was paid: the proposal is void and waits for somebody. */
  async function refused(approval: Approval, code: string, unit: Unit): Promise<void> {
    if (code === "idempotency_conflict") throw new AftersalesError("receipt_mismatch", { fields: "digest" });
    const voidCode = code === "approval_expired" ? "expired" : code === "quote_changed" ? "stale" : "grant_refused";
    await approvals.voidUnpaid(
      unit.caseId,
      approval.round,
      voidCode,
      { status: "waiting_approval", phase: "approve", errorCode: isErrorCode(code) ? code : null },
      [{ phase: "settle", status: "refused", code }],
    );
  }
}
