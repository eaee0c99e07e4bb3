/** Owns the tool that keeps a short working note inside its case. */
import { z } from "zod";
import { toolError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import type { Notes } from "../domain/ports.js";
import { defineTool, type Tool } from "./tool.js";

export function createSaveCaseNote(deps: { notes: Notes }): Tool {
  return defineTool({
    name: "save_case_note",
    description:
      "Keeps a short note (memo, remark) for later in this case; at most three. " +
      "WHEN TO USE: something is to be noted that the customer reports and no record holds. " +
      "WHEN NOT TO USE: to open a ticket or remember anything for other cases: no tool does that. What is remembered across cases is read with read_preferences. " +
      "RETURNS: that the note is saved, for this case only; a fourth note is refused.",
    schema: z.strictObject({ note: z.string().min(1).max(LIMITS.noteChars) }),
    isRead: false,
    async run({ note }, { caseId }) {
      const saved = await deps.notes.add(caseId, note);
      if (!saved) return { kind: "error", error: toolError("note_limit") };
      return { kind: "ok", result: { saved: true, scope: "case_only" }, gains: {} };
    },
  });
}
