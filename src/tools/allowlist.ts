/** Owns the twelve names a model may ask for, and who may use them. Nothing else is callable, whatever any service offers. */
import { COMMERCE_READ_TOOLS } from "../domain/commerce-wire.js";
import type { Role } from "../domain/identity.js";

export const LOCAL_TOOLS = [
  "search_knowledge",
  "read_knowledge",
  "load_skill",
  "calculate_refund",
  "read_preferences",
  "save_case_note",
] as const;

export const MODEL_TOOLS = [...COMMERCE_READ_TOOLS, ...LOCAL_TOOLS] as const;
export type ModelToolName = (typeof MODEL_TOOLS)[number];

/** Default deny: a role without an entry has no tools, and a tool that is not listed has no users. */
const GRANTS: Readonly<Record<Role, readonly ModelToolName[]>> = { customer: MODEL_TOOLS, reviewer: [] };

export function isModelTool(name: string): name is ModelToolName {
  return MODEL_TOOLS.some((tool) => tool === name);
}

export function isGranted(role: Role, tool: ModelToolName): boolean {
  return GRANTS[role].includes(tool);
}
