/** `review`, `requote`, `withdraw`: record a decision first, so that it cannot be lost, then let the case follow it. */
import { AftersalesError } from "../../domain/errors.js";
import { assertGraphVersion } from "../../graph/version.js";
import { finishWithCase } from "../finish.js";
import type { RunContext } from "../run-context.js";

export type DecisionInput = {
  decision: "approve" | "reject" | "requote" | "withdraw";
  digest?: string;
  reason?: string;
};

/** Throws the refusal's code; the case then waits as before. Without `digest` the proposal as it stands is meant. */
export async function runDecision(context: RunContext, caseId: string, input: DecisionInput): Promise<void> {
  const identity = context.identity();
  const { row, approval } = await (await context.host().reader()).read(caseId, identity);
  context.speak(row.language);
  // A decision that this program cannot follow must not be recorded by it either.
  assertGraphVersion(row);
  if (approval === null) throw new AftersalesError("case_not_waiting", { status: row.status });
  const session = await context.session();
  const answer = {
    decision: input.decision,
    digest: input.digest ?? approval.digest,
    by: identity.user,
    ...(input.reason === undefined ? {} : { reason: input.reason }),
  };
  const decided = await session.decide(row.caseId, answer, identity);
  if (!decided.ok) throw new AftersalesError(decided.code);
  await finishWithCase(context, session, row.caseId, () =>
    session.drive(row.caseId, { caller: identity, signal: context.signal, settle: false }),
  );
}
