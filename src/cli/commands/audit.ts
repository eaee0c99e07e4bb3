/** `audit`: a reviewer checks the merchant's event chains, and the host's records against the commerce ledger. */
import { AftersalesError } from "../../domain/errors.js";
import type { RunContext } from "../run-context.js";

/** Throws `audit_failed` when anything does not fit; the findings have been shown by then. */
export async function runAudit(context: RunContext): Promise<void> {
  const report = await context.host().audit(context.identity());
  const { findings } = report;
  if (!context.options.json) {
    const counted = `${report.cases} cases, ${report.events} events, ${report.receipts} receipts compared with the commerce ledger.`;
    const lines = findings.map(({ kind, subject, detail }) => `${kind}  ${subject}: ${detail}`);
    context.output.result([counted, ...(lines.length === 0 ? ["Everything fits."] : lines)].join("\n"));
  } else if (findings.length === 0) {
    context.output.json(report);
  }
  if (findings.length > 0) {
    const kinds = [...new Set(findings.map(({ kind, subject }) => `${kind} ${subject}`))];
    throw new AftersalesError("audit_failed", { findings: kinds.join(", ") });
  }
}
