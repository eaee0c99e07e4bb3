/** Owns the case row: opening it, reading it, and changing it under the case's lease together with the events that explain the change. */
import type { Selectable } from "kysely";
import { CaseRow, type CaseUpdate } from "../domain/case.js";
import { type Clock, toInstant } from "../domain/clock.js";
import { AftersalesError } from "../domain/errors.js";
import type { Identity } from "../domain/identity.js";
import type { CaseId } from "../domain/ids.js";
import type { Cases } from "../domain/ports.js";
import type { ApplicationDb, ApplicationTrx } from "./application-database.js";
import type { ApplicationSchema } from "./application-schema.js";
import type { WriteCase } from "./case-writes.js";
import { appendEvents } from "./event-log.js";

type Deps = { db: ApplicationDb; clock: Clock; write: WriteCase };

export function createCaseStore({ db, clock, write }: Deps): Cases {
  return {
    async open(row) {
      await write(row.caseId, async (trx) => {
        await trx.insertInto("cases").values(toColumns(row)).execute();
        await trx.insertInto("budgets").values({ case_id: row.caseId, model_used: 0, tool_used: 0 }).execute();
        await appendEvents(trx, clock, row.caseId, [{ phase: row.phase, status: "opened" }]);
      });
    },
    find: (caseId) => findCase(db, caseId),
    async update(caseId, change, events = []) {
      await write(caseId, (trx) => updateCase(trx, clock, caseId, change, events));
    },
  };
}

export async function findCase(db: ApplicationDb, caseId: CaseId): Promise<CaseRow | null> {
  const row = await db.selectFrom("cases").selectAll().where("case_id", "=", caseId).executeTakeFirst();
  return row === undefined ? null : fromColumns(row);
}

/** Cases a person may see, newest first, 200 at most: a customer's own, or those of a reviewer's tenant. */
export async function listCases(db: ApplicationDb, caller: Identity, status: string | null): Promise<CaseRow[]> {
  let query = db.selectFrom("cases").selectAll().where("tenant", "=", caller.tenant);
  if (caller.role !== "reviewer") query = query.where("applicant", "=", caller.user);
  if (status !== null) query = query.where("status", "=", status);
  return (await query.orderBy("created_at", "desc").limit(200).execute()).map(fromColumns);
}

/** Changes the row and appends events inside a transaction. The caller has checked that the case may be written. */
export async function updateCase(
  trx: ApplicationTrx,
  clock: Clock,
  caseId: CaseId,
  change: CaseUpdate,
  events: NonNullable<Parameters<Cases["update"]>[2]>,
): Promise<void> {
  const changed = await trx
    .updateTable("cases")
    .set({ ...changedColumns(change), updated_at: toInstant(clock.nowMs()) })
    .where("case_id", "=", caseId)
    .executeTakeFirst();
  if (changed.numUpdatedRows !== 1n) throw new AftersalesError("case_not_accessible");
  await appendEvents(trx, clock, caseId, events);
}

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function changedColumns(change: CaseUpdate): Partial<ApplicationSchema["cases"]> {
  const { status, phase, orderId, answer, quote, evidence, liveProposal, artifact, errorCode } = change;
  return {
    ...(status === undefined ? {} : { status }),
    ...(phase === undefined ? {} : { phase }),
    ...(orderId === undefined ? {} : { order_id: orderId }),
    ...(answer === undefined ? {} : { answer: json(answer) }),
    ...(quote === undefined ? {} : { quote: json(quote) }),
    ...(evidence === undefined ? {} : { evidence: json(evidence) }),
    ...(liveProposal === undefined ? {} : { live_proposal: json(liveProposal) }),
    ...(artifact === undefined ? {} : { artifact }),
    ...(errorCode === undefined ? {} : { error_code: errorCode }),
  };
}

function toColumns(row: CaseRow): ApplicationSchema["cases"] {
  return {
    case_id: row.caseId,
    tenant: row.tenant,
    applicant: row.applicant,
    question: row.question,
    language: row.language,
    model: row.model,
    graph_version: row.graphVersion,
    status: row.status,
    phase: row.phase,
    order_id: row.orderId,
    answer: json(row.answer),
    quote: json(row.quote),
    evidence: json(row.evidence),
    live_proposal: json(row.liveProposal),
    artifact: row.artifact,
    error_code: row.errorCode,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

function fromColumns(row: Selectable<ApplicationSchema["cases"]>): CaseRow {
  return CaseRow.parse({
    caseId: row.case_id,
    tenant: row.tenant,
    applicant: row.applicant,
    question: row.question,
    language: row.language,
    model: row.model,
    graphVersion: row.graph_version,
    status: row.status,
    phase: row.phase,
    orderId: row.order_id,
    answer: parsed(row.answer),
    quote: parsed(row.quote),
    evidence: parsed(row.evidence),
    liveProposal: parsed(row.live_proposal),
    artifact: row.artifact,
    errorCode: row.error_code,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  });
}
