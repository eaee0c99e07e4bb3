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

/** What a customer's case may use, written out: a tool that joins the list above has no users until it is named here as well. */
const FOR_CUSTOMERS: readonly ModelToolName[] = [
  "list_orders",
  "get_order",
  "get_shipment",
  "get_invoice",
  "get_product",
  "get_ticket",
  "search_knowledge",
  "read_knowledge",
  "load_skill",
  "calculate_refund",
  "read_preferences",
  "save_case_note",
];

/** Default deny: a role without an entry has no tools, and a tool without an entry has no users. */
const GRANTS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["customer" satisfies Role, new Set<string>(FOR_CUSTOMERS)],
]);

export function isModelTool(name: string): name is ModelToolName {
  return MODEL_TOOLS.some((tool) => tool === name);
}

export function isGranted(role: string, tool: string): boolean {
  return GRANTS.get(role)?.has(tool) === true;
}
