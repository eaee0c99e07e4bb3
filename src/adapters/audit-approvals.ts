/** Owns checking the approvals table against itself and against the event log: a row that was edited, an event that is gone. */
import { sql } from "kysely";
import type { Approval } from "../domain/approval.js";
import type { Identity } from "../domain/identity.js";
import { proposalDigest } from "../domain/proposal.js";
import type { ApplicationDb } from "./application-database.js";
import { toApproval } from "./approval-rows.js";
import type { AuditFinding } from "./audit-findings.js";

/** The event that a row in this state must have left behind. */
const MUST_HAVE: Partial<Record<Approval["state"], readonly string[]>> = {
  approved: ["decision_approve"],
  rejected: ["decision_reject"],
  withdrawn: ["decision_withdraw"],
  settled: ["decision_approve", "receipt"],
};

/** A chain of hashes does not show that its end was cut off. The rows do: each names what must have happened. Purged cases keep no events. */
export async function auditApprovals(db: ApplicationDb, caller: Identity): Promise<AuditFinding[]> {
  const purged = db.selectFrom("purges").select("case_id");
  const silent = await db
    .selectFrom("cases")
    .select("case_id")
    .where("tenant", "=", caller.tenant)
    .where("case_id", "not in", purged)
    .where(sql<boolean>`not exists (select 1 from events where events.case_id = cases.case_id and number = 1)`)
    .execute();
  const rows = await db.selectFrom("approvals").selectAll().where("tenant", "=", caller.tenant).execute();
  const events = await db
    .selectFrom("events")
    .select(["case_id", "status"])
    .where("phase", "in", ["approve", "settle"])
    .execute();
  const seen = new Set(events.map(({ case_id, status }) => `${case_id} ${status}`));
  const kept = new Set((await purged.execute()).map(({ case_id }) => case_id));
  const findings: AuditFinding[] = silent.map(({ case_id }) => ({
    kind: "event_missing",
    subject: case_id,
    detail: "the event of its opening",
  }));
  for (const row of rows) {
    const { proposal, digest, state, grant } = toApproval(row);
    const altered = [
      [proposalDigest(proposal) !== digest, "its digest is not that of its proposal"],
      [row.case_id !== proposal.caseId || row.approval_id !== proposal.approvalId, "it names another case"],
      [row.order_id !== proposal.orderId || row.tenant !== proposal.tenant, "it names another order"],
      [row.expires_at !== proposal.expiresAt, "it ends at another time"],
      [state === "approved" && grant === null, "it is approved without a grant"],
    ] as const;
    for (const [isSo, detail] of altered)
      if (isSo) findings.push({ kind: "approval_altered", subject: row.approval_id, detail });
    const missing = kept.has(row.case_id)
      ? []
      : (MUST_HAVE[state] ?? []).filter((status) => !seen.has(`${row.case_id} ${status}`));
    for (const detail of missing) findings.push({ kind: "event_missing", subject: row.approval_id, detail });
  }
  return findings;
}
