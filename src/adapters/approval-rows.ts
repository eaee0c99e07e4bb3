/** Owns reading the approvals table: rows become domain approvals here and nowhere else. */
import type { Selectable } from "kysely";
import { Approval } from "../domain/approval.js";
import type { CaseId } from "../domain/ids.js";
import type { ApplicationDb, ApplicationTrx } from "./application-database.js";
import type { ApplicationSchema } from "./application-schema.js";

/** The newest proposal of a case, or null. */
export async function latestApproval(db: ApplicationDb | ApplicationTrx, caseId: CaseId): Promise<Approval | null> {
  const row = await db
    .selectFrom("approvals")
    .selectAll()
    .where("case_id", "=", caseId)
    .orderBy("round", "desc")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : toApproval(row);
}

export function toApproval(row: Selectable<ApplicationSchema["approvals"]>): Approval {
  return Approval.parse({
    round: row.round,
    proposal: JSON.parse(row.proposal),
    digest: row.digest,
    state: row.state,
    voidCode: row.void_code,
    reviewer: row.reviewer,
    decidedAt: row.decided_at,
    reason: row.reason,
    grant: row.grant_jws,
    receipt: row.receipt,
  });
}
