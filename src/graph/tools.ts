/** Owns assembling the twelve tools. The commerce six describe themselves over the wire, so a registry exists once the line is open. */
import type { Applicant, CommerceFor, Knowledge, Notes, Preferences, Procedures } from "../domain/ports.js";
import { createCalculateRefund, type QuoteOrder } from "../tools/calculate-refund.js";
import { createCommerceReadTools } from "../tools/commerce-reads.js";
import { createLoadSkill } from "../tools/load-skill.js";
import { createReadKnowledge } from "../tools/read-knowledge.js";
import { createReadPreferences } from "../tools/read-preferences.js";
import { createRegistry, type ToolRegistry } from "../tools/registry.js";
import { createSaveCaseNote } from "../tools/save-case-note.js";
import { createSearchKnowledge } from "../tools/search-knowledge.js";

type Deps = {
  commerce: CommerceFor;
  quoteOrder: QuoteOrder;
  knowledge: Knowledge;
  procedures: Procedures;
  preferences: Preferences;
  notes: Notes;
};

export type RegistryFor = (applicant: Applicant) => Promise<ToolRegistry>;

export function createToolRegistry(deps: Deps): RegistryFor {
  const local = [
    createSearchKnowledge(deps),
    createReadKnowledge(deps),
    createLoadSkill(deps),
    createCalculateRefund(deps),
    createReadPreferences(deps),
    createSaveCaseNote(deps),
  ];
  const complete = new Map<string, ToolRegistry>();
  return async (applicant) => {
    const specs = await deps.commerce(applicant).specs();
    const known = complete.get(applicant.user);
    if (known !== undefined) return known;
    const registry = createRegistry([...createCommerceReadTools({ commerceFor: deps.commerce, specs }), ...local]);
    complete.set(applicant.user, registry);
    return registry;
  };
}
