/** Owns the tool that opens another procedure by name. A procedure explains how to work; it grants nothing. */
import { z } from "zod";
import { toolError } from "../domain/errors.js";
import type { Procedures } from "../domain/ports.js";
import { defineTool, type Tool } from "./tool.js";

export function createLoadSkill(deps: { procedures: Procedures }): Tool {
  return defineTool({
    name: "load_skill",
    description:
      "Loads another working procedure by its name. " +
      "WHEN TO USE: the case turns out to need a second procedure beside its own: the next steps for another kind of request. " +
      "WHEN NOT TO USE: to find policy text (search_knowledge) or read a passage (read_knowledge); that of the case is there from the start. " +
      "RETURNS: the procedure's text: how to work, never a permission; a name that does not exist is refused.",
    schema: z.strictObject({ name: z.string().min(1).max(40) }),
    isRead: true,
    async run({ name }, { language }) {
      const procedure = deps.procedures.load(name, language);
      if (procedure === null) return { kind: "error", error: toolError("unknown_skill") };
      return { kind: "ok", result: { procedure }, gains: {} };
    },
  });
}
