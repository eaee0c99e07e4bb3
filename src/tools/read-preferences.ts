/** Owns the tool that reads what the customer has consented to be remembered. */
import { z } from "zod";
import type { Preferences } from "../domain/ports.js";
import { defineTool, type Tool } from "./tool.js";

export function createReadPreferences(deps: { preferences: Preferences }): Tool {
  return defineTool({
    name: "read_preferences",
    description:
      "Reads what this customer has agreed to have remembered: the language preference. " +
      "WHEN TO USE: the customer asks what is remembered or saved about them, such as the preference for a language. " +
      "WHEN NOT TO USE: to choose the answer's language, which the case already fixes; for orders use list_orders. For notes of this case, they are already there (save_case_note adds one). " +
      "RETURNS: the language, or an empty object when nothing is saved.",
    schema: z.strictObject({}),
    isRead: true,
    async run(_args, { applicant }) {
      const language = await deps.preferences.language(applicant);
      return { kind: "ok", result: { preferences: language === null ? {} : { language } }, gains: {} };
    },
  });
}
