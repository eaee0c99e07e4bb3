/** `resume`: goes on with a case from where it stands; an approved refund is executed here. */
import { AftersalesError } from "../../domain/errors.js";
import { assertGraphVersion } from "../../graph/version.js";
import { finishWithCase } from "../finish.js";
import type { RunContext } from "../run-context.js";

export async function runResume(
  context: RunContext,
  caseId: string,
  flags: { oneStep?: boolean; retry?: boolean },
): Promise<void> {
  const { row } = await (await context.host().reader()).read(caseId, context.identity());
  context.speak(row.language);
  assertGraphVersion(row);
  if (row.status === "failed" && flags.retry !== true) {
    throw new AftersalesError("retry_required", { failedWith: row.errorCode ?? "internal_error" });
  }
  if (row.status !== "failed" && flags.retry === true)
    throw new AftersalesError("retry_not_failed", { status: row.status });
  const session = await context.session();
  await finishWithCase(context, session, row.caseId, () =>
    session.drive(row.caseId, {
      caller: context.identity(),
      signal: context.signal,
      oneStep: flags.oneStep === true,
      settle: true,
    }),
  );
}
