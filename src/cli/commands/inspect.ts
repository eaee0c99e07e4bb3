/** `inspect`: shows a case from its record. Needs no model, no commerce process and no saved steps. */
import type { RunContext } from "../run-context.js";

export async function runInspect(context: RunContext, caseId: string, flags: { events?: boolean }): Promise<void> {
  const identity = context.identity();
  const reader = await context.host().reader();
  const file = await reader.read(caseId, identity);
  context.speak(file.row.language);
  context.show(file, {
    withEvidence: identity.role === "reviewer",
    ...(flags.events === true ? { events: await reader.events(file.row.caseId) } : {}),
  });
}
