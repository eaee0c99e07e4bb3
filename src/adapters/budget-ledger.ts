/** Owns what a case has spent. A request is charged before it leaves and is never given back, so that a crash cannot make it free. */
import { AftersalesError } from "../domain/errors.js";
import type { CaseId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { Budget } from "../domain/ports.js";
import type { ApplicationDb } from "./application-database.js";
import type { WriteCase } from "./case-writes.js";

const COLUMNS = {
  model: ["model_used", LIMITS.modelRequestsPerCase],
  tool: ["tool_used", LIMITS.toolRequestsPerCase],
} as const;

export function createBudgetLedger({ write }: { write: WriteCase }): Budget {
  return {
    async charge(caseId, kind, count) {
      const [column, limit] = COLUMNS[kind];
      return write(caseId, async (trx) => {
        const row = await trx.selectFrom("budgets").selectAll().where("case_id", "=", caseId).executeTakeFirst();
        if (row === undefined) throw new AftersalesError("case_not_accessible");
        const granted = Math.max(0, Math.min(count, limit - row[column]));
        if (granted > 0) {
          await trx
            .updateTable("budgets")
            .set({ [column]: row[column] + granted })
            .where("case_id", "=", caseId)
            .execute();
        }
        return granted;
      });
    },
  };
}

export async function readBudget(db: ApplicationDb, caseId: CaseId): Promise<{ model: number; tool: number }> {
  const row = await db.selectFrom("budgets").selectAll().where("case_id", "=", caseId).executeTakeFirst();
  return { model: row?.model_used ?? 0, tool: row?.tool_used ?? 0 };
}
