/** Owns the tool that searches the merchant's policy documents. */
import { z } from "zod";
import { LIMITS } from "../domain/limits.js";
import type { Passage } from "../domain/policy-document.js";
import type { Knowledge } from "../domain/ports.js";
import { defineTool, type Tool } from "./tool.js";

/** A passage as a model reads it. */
export function passageToWire(passage: Passage): Record<string, unknown> {
  const { id, document, page, version, title, heading, body } = passage;
  return { id, document, page, version, title, heading, body };
}

export function createSearchKnowledge(deps: { knowledge: Knowledge }): Tool {
  return defineTool({
    name: "search_knowledge",
    description:
      "Searches the merchant's policy documents in force for this customer: rules of returns and refunds, delivery, warranty and repair, invoices, agreement and privacy, case handling. " +
      "WHEN TO USE: any question about what the rules, terms and conditions say: how many days there are to return goods (return window, deadline), what is excluded such as custom or digital goods, exceptions, damage, approval, privacy; in the customer's words. " +
      "WHEN NOT TO USE: to read a passage whose id you already have (read_knowledge), for facts of one order (get_order), for how much can be refunded on it (calculate_refund), or for a working procedure (load_skill). " +
      "RETURNS: up to four passages with ids to cite, and covered: false when the documents do not seem to answer the question.",
    schema: z.strictObject({ query: z.string().min(1).max(LIMITS.searchQueryChars) }),
    isRead: true,
    async run({ query }, { applicant, language }) {
      const { passages, covered } = await deps.knowledge.search({ tenant: applicant.tenant, language }, query);
      return {
        kind: "ok",
        result: { passages: passages.map((passage) => ({ ...passageToWire(passage), score: passage.score })), covered },
        gains: { passages: { list: passages, mandatory: false } },
      };
    },
  });
}
