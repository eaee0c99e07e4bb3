/** Owns the set of tools: exactly the twelve of the allowlist, found by name in a map. */
import { AftersalesError } from "../domain/errors.js";
import { MODEL_TOOLS } from "./allowlist.js";
import type { Tool } from "./tool.js";

export type ToolRegistry = ReadonlyMap<string, Tool>;

/** Throws when a tool is missing, doubled or not on the list: a start with the wrong tools is no start. */
export function createRegistry(tools: readonly Tool[]): ToolRegistry {
  const registry = new Map(tools.map((tool) => [tool.name, tool]));
  const complete = MODEL_TOOLS.every((name) => registry.has(name)) && tools.length === MODEL_TOOLS.length;
  if (!complete || registry.size !== tools.length) throw new AftersalesError("internal_error");
  return registry;
}
