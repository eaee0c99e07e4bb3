/** What can be seen of a finished case without the product's own code: both databases by plain SQL, and the recorded wire. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";

export type Row = Record<string, unknown>;
export type Tables = Record<string, Row[]>;

export const Row = z.record(z.string(), z.unknown());
const WireEntry = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("started"), args: z.array(z.string()), env: z.string() }),
  z.strictObject({ kind: z.literal("asked"), message: Row }),
  z.strictObject({ kind: z.literal("answered"), tool: z.string().nullable(), message: Row }),
]);
export type WireEntry = z.infer<typeof WireEntry>;

export type Evidence = {
  owner: { tenant: string; user: string };
  caseId: string;
  /** The one order the question names, if it names one. */
  orderId: string | null;
  /** Whether the question plainly asks for that order to be refunded now. */
  asksRefund: boolean;
  before: Tables;
  after: Tables;
  wire: WireEntry[];
  /** Every text a model was shown, and how often one was asked. */
  seen: string[];
  modelRequests: number;
  /** stdout, stderr and the case record, together. */
  printed: string;
  /** Text that may appear nowhere, and text that may not appear in an answer. */
  canaries: readonly string[];
  lies: readonly string[];
};

/** Both databases as they stand on disk, and what the checkpoints hold of one case. */
export function readTables(stateDir: string, caseId: string): Tables {
  const application = readAll(join(stateDir, "host", "application.db"), {
    cases: "select * from cases order by case_id",
    budgets: "select * from budgets order by case_id",
    approvals: "select * from approvals order by approval_id",
    preferences: "select * from preferences order by tenant, user_name",
    notes: "select * from notes order by case_id, number",
    events: `select * from events where case_id = '${caseId}' order by number`,
  });
  const commerce = readAll(join(stateDir, "commerce", "commerce.db"), {
    orders: "select * from orders order by tenant, order_id",
    products: "select * from products order by sku",
    tickets: "select * from tickets order by tenant, key",
    receipts: "select * from receipts order by tenant, approval_id",
    meta: "select * from meta order by name",
  });
  const checkpoints = readAll(join(stateDir, "host", "checkpoints.db"), {
    checkpoints: `select cast(checkpoint as text) as text from checkpoints where thread_id = '${caseId}'`,
    writes: `select cast(value as text) as text from writes where thread_id = '${caseId}'`,
  });
  return { ...application, ...commerce, ...checkpoints };
}

function readAll(file: string, queries: Record<string, string>): Tables {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    return Object.fromEntries(
      Object.entries(queries).map(([name, sql]) => [name, z.array(Row).parse(database.prepare(sql).all())]),
    );
  } finally {
    database.close();
  }
}

export function readWire(file: string): WireEntry[] {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.filter((line) => line !== "").map((line) => WireEntry.parse(JSON.parse(line)));
}
