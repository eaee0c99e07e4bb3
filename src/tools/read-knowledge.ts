/** Owns the tool that reads one passage by id, under the same applicability check as searching. */
import { z } from "zod";
import { toolError } from "../domain/errors.js";
import type { Knowledge } from "../domain/ports.js";
import { passageToWire } from "./search-knowledge.js";
import { defineTool, type Tool } from "./tool.js";

export function createReadKnowledge(deps: { knowledge: Knowledge }): Tool {
  return defineTool({
    name: "read_knowledge",
    description:
      "Reads one passage of a policy document by its passage id, such as RETURNS:p02:en:0. " +
      "WHEN TO USE: a passage id is named and its text is to be read word for word, or a neighbouring paragraph of a passage you were shown. " +
      "WHEN NOT TO USE: to find passages by topic (search_knowledge), or for a procedure (load_skill). " +
      "RETURNS: the passage; an id that is not in force for this customer is refused.",
    schema: z.strictObject({ passage_id: z.string().min(1).max(80) }),
    isRead: true,
    async run({ passage_id }, { applicant, language }) {
      const passage = await deps.knowledge.read({ tenant: applicant.tenant, language }, passage_id);
      if (passage === null) return { kind: "error", error: toolError("passage_not_accessible") };
      return {
        kind: "ok",
        result: { passage: passageToWire(passage) },
        gains: { passages: { list: [passage], mandatory: false } },
      };
    },
  });
}
