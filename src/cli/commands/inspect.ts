/** `inspect`: shows a case from its record. Needs no model, no commerce process and no saved steps. */
import { AftersalesError } from "../../domain/errors.js";
import { eventLine } from "../case-text.js";
import { CASE_WORDS } from "../case-words.js";
import { printable } from "../print.js";
import type { RunContext } from "../run-context.js";

type Flags = { events?: boolean; event?: string };

/** Throws `case_not_accessible`, `not_reviewer`, `event_not_found`. */
export async function runInspect(context: RunContext, caseId: string, flags: Flags): Promise<void> {
  const identity = context.identity();
  const reader = await context.host().reader();
  const file = await reader.read(caseId, identity);
  context.speak(file.row.language);
  if (flags.event !== undefined) {
    if (!/^[1-9]\d{0,8}$/.test(flags.event)) throw new AftersalesError("event_not_found");
    const event = await reader.event(file.row.caseId, Number(flags.event), identity);
    const words = CASE_WORDS[file.row.language];
    if (context.options.json) context.output.json({ caseId: file.row.caseId, event });
    else context.output.result(`${eventLine(event)}\n${words.cause}: ${printable(event.cause ?? words.none)}`);
    return;
  }
  context.show(file, {
    withEvidence: identity.role === "reviewer",
    ...(flags.events === true ? { events: await reader.events(file.row.caseId) } : {}),
  });
}
