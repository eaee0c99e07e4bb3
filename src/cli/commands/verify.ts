/** `verify`: checks a case record file by itself, and says what it could and what it could not check. */
import { readFileSync } from "node:fs";
import { AftersalesError } from "../../domain/errors.js";
import { type CheckResult, type RecordCheck, verifyCaseRecord } from "../../domain/record-verification.js";
import { recordVerifiers } from "../../graph/compose-state.js";
import type { RunContext } from "../run-context.js";

const SAID: Readonly<Record<RecordCheck, string>> = {
  data_readable: "The file holds a case record",
  text_matches_data: "The text above says exactly what the data at the end says",
  proposal_digest: "The digest is that of the proposal",
  quote_id: "The quote id is that of the quote",
  grant_signature: "The approval is signed with the key of this state directory",
  grant_covers_proposal: "The signature covers this proposal, this reviewer and this time",
  receipt_matches_proposal: "The receipt matches the proposal",
  cited_texts: "The cited passages still have the cited text",
  status_consistent: "Status, decision, quote and receipt fit together",
  unsigned_parts: "What no signature covers is as it was",
};
const MARKS = { ok: "ok         ", failed: "FAILED     ", not_checked: "not checked" } as const;

/** Throws `record_not_verified` when a check failed, `data_invalid` when the file cannot be read. */
export async function runVerify(context: RunContext, file: string): Promise<void> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new AftersalesError("data_invalid", { file, detail: "cannot be read" }, { cause: error });
  }
  const checks = await verifyCaseRecord(text, recordVerifiers(context.options.stateDir, context.dataDir));
  const failed = checks.filter(({ result }) => result === "failed");
  if (context.options.json && failed.length === 0) context.output.json({ file, verified: true, checks });
  if (!context.options.json) context.output.result(checks.map(lineOf).join("\n"));
  if (failed.length > 0) {
    throw new AftersalesError("record_not_verified", { checks: failed.map(({ check }) => check).join(", ") });
  }
}

function lineOf({ check, result, detail }: CheckResult): string {
  return `${MARKS[result]}  ${SAID[check]}${detail === undefined ? "" : ` (${detail})`}`;
}
