/** Owns the outcome of a command whose case exists but could not be finished. */
import type { AftersalesError } from "../domain/errors.js";
import type { CaseId } from "../domain/ids.js";

/** A case that failed is a refused command: it was shown, and the exit code says so. */
export class CaseNotFinished extends Error {
  override name = "CaseNotFinished";
  constructor(
    readonly reason: AftersalesError,
    readonly caseId: CaseId,
  ) {
    super(reason.message);
  }
}
