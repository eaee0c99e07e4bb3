/** `review-info`: what a reviewer decides on: question, answer, cited passages, quote, proposal and the time left. */
import { AftersalesError } from "../../domain/errors.js";
import type { RunContext } from "../run-context.js";

/** Only reviewers of the same merchant, and never for a case of their own. */
export async function runReviewInfo(context: RunContext, caseId: string): Promise<void> {
  const identity = context.identity();
  if (identity.role !== "reviewer") throw new AftersalesError("not_reviewer");
  const file = await (await context.host().reader()).read(caseId, identity);
  context.speak(file.row.language);
  if (file.row.applicant === identity.user) throw new AftersalesError("self_approval");
  if (file.approval === null) throw new AftersalesError("case_not_waiting", { status: file.row.status });
  const session = await context.session();
  const interruptId = file.row.status === "waiting_approval" ? await session.interruptId(file.row.caseId) : null;
  context.show(file, { withEvidence: true, interruptId });
}
