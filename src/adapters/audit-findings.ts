/** Owns what an audit can find. */

export type AuditFinding = { kind: AuditKind; subject: string; detail: string };
export type AuditKind =
  | "event_chain_broken"
  | "event_missing"
  | "approval_altered"
  | "receipt_without_approval"
  | "receipt_differs"
  | "settled_without_receipt"
  | "receipt_not_reconciled"
  | "two_live_proposals"
  | "budget_exceeded";
