/** Owns ending a command that worked on a case: the case is read from disk again and shown, whether the work succeeded or not. */
import type { AftersalesError } from "../domain/errors.js";
import type { CaseId } from "../domain/ids.js";
import { toAftersalesError } from "../graph/compose.js";
import type { Session } from "../graph/session.js";
import { CaseNotFinished } from "./case-not-finished.js";
import type { RunContext } from "./run-context.js";

/** Runs `work`, then shows the case as it stands on disk. Throws `CaseNotFinished` when the work did not succeed but the case exists. */
export async function finishWithCase(
  context: RunContext,
  session: Session,
  caseId: CaseId,
  work: () => Promise<void>,
): Promise<void> {
  let failure: AftersalesError | null = null;
  try {
    await work();
  } catch (error) {
    failure = toAftersalesError(error);
  }
  if (failure !== null && UNSHOWN.has(failure.code)) throw failure;
  const file = await session.read(caseId).catch((error: unknown) => {
    throw failure ?? error;
  });
  const interruptId =
    file.row.status === "waiting_approval" && failure === null ? await session.interruptId(caseId) : null;
  context.show(file, { interruptId, failure: failure?.code ?? null });
  if (failure !== null) throw new CaseNotFinished(failure, caseId);
}

/** Refusals that say all there is to say: showing the case beside them would look like a result. */
const UNSHOWN: ReadonlySet<string> = new Set([
  "case_busy",
  "case_not_accessible",
  "graph_version_mismatch",
  "lease_lost",
]);
