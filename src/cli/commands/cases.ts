/** `cases`: lists a customer's own cases, or those of a reviewer's merchant. */
import { CaseStatus } from "../../domain/case.js";
import { AftersalesError } from "../../domain/errors.js";
import { printable } from "../print.js";
import type { RunContext } from "../run-context.js";

export async function runCases(context: RunContext, flags: { status?: string }): Promise<void> {
  const status = flags.status === undefined ? null : CaseStatus.safeParse(flags.status);
  if (status?.success === false) {
    throw new AftersalesError("usage", { detail: `--status must be one of ${CaseStatus.options.join(", ")}` });
  }
  const reader = await context.host().reader();
  const rows = await reader.list(context.identity(), status?.data ?? null);
  if (context.options.json) {
    const cases = rows.map(({ caseId, status: state, phase, applicant, orderId, createdAt }) => ({
      caseId,
      status: state,
      phase,
      applicant,
      ...(orderId === null ? {} : { orderId }),
      createdAt,
    }));
    context.output.json({ cases });
    return;
  }
  const lines = rows.map(
    (row) =>
      `${row.caseId}  ${row.status.padEnd(16)}  ${(row.orderId ?? "-").padEnd(8)}  ${printable(row.question).slice(0, 60)}`,
  );
  context.output.result(lines.length === 0 ? "No cases." : lines.join("\n"));
}
