/** Owns the working notes of a case. They stay inside their case and are neither a preference nor a ticket. */
import { LIMITS } from "../domain/limits.js";
import type { Notes } from "../domain/ports.js";
import type { ApplicationDb } from "./application-database.js";
import type { WriteCase } from "./case-writes.js";

export function createNoteStore({ db, write }: { db: ApplicationDb; write: WriteCase }): Notes {
  return {
    async list(caseId) {
      const rows = await db
        .selectFrom("notes")
        .select("note")
        .where("case_id", "=", caseId)
        .orderBy("number")
        .execute();
      return rows.map(({ note }) => note);
    },
    async add(caseId, note) {
      return write(caseId, async (trx) => {
        const rows = await trx.selectFrom("notes").select("note").where("case_id", "=", caseId).execute();
        // A turn that is repeated after a crash saves the same note again.
        if (rows.some((row) => row.note === note)) return true;
        if (rows.length >= LIMITS.caseNotes) return false;
        await trx
          .insertInto("notes")
          .values({ case_id: caseId, number: rows.length + 1, note })
          .execute();
        return true;
      });
    },
  };
}
