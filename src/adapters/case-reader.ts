/** Owns reading cases for people: who may see which, and what a view of a case is made from. Takes no lease and writes nothing. */
import { mayAccessCase } from "../domain/approval.js";
import type { CaseRow } from "../domain/case.js";
import { AftersalesError } from "../domain/errors.js";
import { CaseId } from "../domain/ids.js";
import type { Passage } from "../domain/policy-document.js";
import type { CaseReader, Knowledge } from "../domain/ports.js";
import type { ApplicationDb } from "./application-database.js";
import { latestApproval } from "./approval-rows.js";
import { readBudget } from "./budget-ledger.js";
import { findCase, listCases } from "./case-store.js";
import { causeEventOf, findEvent, listEvents } from "./event-log.js";

export function createCaseReader(deps: { db: ApplicationDb; knowledge: () => Knowledge }): CaseReader {
  const { db, knowledge } = deps;
  return {
    async read(caseId, caller) {
      const id = CaseId.safeParse(caseId);
      const row = id.success ? await findCase(db, id.data) : null;
      if (row === null || !mayAccessCase(row, caller)) throw new AftersalesError("case_not_accessible");
      const [approval, budget, passages, causeEvent] = await Promise.all([
        latestApproval(db, row.caseId),
        readBudget(db, row.caseId),
        citedPassages(row, knowledge),
        causeEventOf(db, row.caseId, row.errorCode),
      ]);
      return { row, approval, budget, passages, causeEvent };
    },
    events: (caseId) => listEvents(db, caseId),
    async event(caseId, number, caller) {
      if (caller.role !== "reviewer") throw new AftersalesError("not_reviewer");
      const event = await findEvent(db, caseId, number);
      if (event === null) throw new AftersalesError("event_not_found");
      return event;
    },
    list: (caller, status) => listCases(db, caller, status),
  };
}

/** In the order of the citations. A passage whose text has changed since is not shown as the one that was cited. */
async function citedPassages(row: CaseRow, knowledge: () => Knowledge): Promise<Passage[]> {
  const kept = new Map((row.evidence?.passages ?? []).map((passage) => [passage.id, passage]));
  const cited = (row.answer?.citations ?? []).flatMap((id) => kept.get(id) ?? []);
  if (cited.length === 0) return [];
  const scope = { tenant: row.tenant, language: row.language };
  const read = await Promise.all(cited.map(({ id }) => knowledge().read(scope, id)));
  return read.flatMap((passage, index) =>
    passage !== null && passage.textHash === cited[index]?.textHash ? [passage] : [],
  );
}
