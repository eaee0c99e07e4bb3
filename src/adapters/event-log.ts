/** Owns the append-only event log: per case numbered and chained by hash, so that a missing or edited row shows. */
import { createHash } from "node:crypto";
import type { Selectable } from "kysely";
import { canonicalJson } from "../domain/canonical.js";
import { type Clock, toInstant } from "../domain/clock.js";
import type { CaseId } from "../domain/ids.js";
import type { CaseEvent, NewEvent } from "../domain/ports.js";
import type { ApplicationDb, ApplicationTrx } from "./application-database.js";
import type { ApplicationSchema } from "./application-schema.js";
import { redact } from "./redact.js";

/** What the first event of a case names as the hash before it. */
export const FIRST_HASH = "0".repeat(64);
const CAUSE_CHARS = 400;
/** SQLite allows some ten thousand values in a statement; a model that asks for thousands of tools at once needs more. */
const ROWS_PER_STATEMENT = 500;

/** Appends events inside a transaction. The caller has checked that the case may be written. */
export async function appendEvents(
  trx: ApplicationTrx,
  clock: Clock,
  caseId: CaseId,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const last = await trx
    .selectFrom("events")
    .select(["number", "hash"])
    .where("case_id", "=", caseId)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  let number = last?.number ?? 0;
  let previous = last?.hash ?? FIRST_HASH;
  const rows = events.map((event) => {
    number += 1;
    const fields = {
      case_id: caseId,
      number,
      at: event.at ?? toInstant(clock.nowMs()),
      phase: event.phase,
      status: event.status,
      tool: event.tool ?? null,
      code: event.code ?? null,
      duration_ms: event.durationMs ?? null,
      input_tokens: event.inputTokens ?? null,
      output_tokens: event.outputTokens ?? null,
      cause: event.cause === undefined ? null : redact(event.cause).slice(0, CAUSE_CHARS),
      prev_hash: previous,
    };
    previous = eventHash(fields);
    return { ...fields, hash: previous };
  });
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    await trx
      .insertInto("events")
      .values(rows.slice(start, start + ROWS_PER_STATEMENT))
      .execute();
  }
}

/** The hash of an event row without its own `hash`: SHA-256 over its canonical JSON, the previous hash included. */
export function eventHash(fields: Record<string, string | number | null>): string {
  return createHash("sha256").update(canonicalJson(fields), "utf8").digest("hex");
}

export async function listEvents(db: ApplicationDb, caseId: CaseId): Promise<CaseEvent[]> {
  const rows = await db.selectFrom("events").selectAll().where("case_id", "=", caseId).orderBy("number").execute();
  return rows.map(toCaseEvent);
}

/** One event with what caused it, masked and shortened as it was written; null when the case has no event of that number. */
export async function findEvent(
  db: ApplicationDb,
  caseId: CaseId,
  number: number,
): Promise<(CaseEvent & { cause: string | null }) | null> {
  const row = await db
    .selectFrom("events")
    .selectAll()
    .where("case_id", "=", caseId)
    .where("number", "=", number)
    .executeTakeFirst();
  return row === undefined ? null : { ...toCaseEvent(row), cause: row.cause };
}

/** The number of the newest event that keeps a cause under this code. */
export async function causeEventOf(db: ApplicationDb, caseId: CaseId, code: string | null): Promise<number | null> {
  if (code === null) return null;
  const row = await db
    .selectFrom("events")
    .select("number")
    .where("case_id", "=", caseId)
    .where("code", "=", code)
    .where("cause", "is not", null)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.number ?? null;
}

function toCaseEvent(row: Selectable<ApplicationSchema["events"]>): CaseEvent {
  return {
    number: row.number,
    at: row.at,
    phase: row.phase,
    status: row.status,
    tool: row.tool,
    code: row.code,
    durationMs: row.duration_ms,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    hasCause: row.cause !== null,
  };
}
