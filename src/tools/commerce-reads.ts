/** Owns the six commerce reads as tools: each answer becomes a fact under the name it can be cited by. */
import { COMMERCE_ARGUMENTS, COMMERCE_READ_TOOLS, type CommerceReadTool } from "../domain/commerce-wire.js";
import type { CommerceFor, ToolSpec } from "../domain/ports.js";
import { defineTool, type Tool } from "./tool.js";

/** `get_order:QH-1001`, or `list_orders:current` for the call without an argument. */
export function sourceIdOf(tool: string, args: Record<string, unknown>): string {
  const [argument] = Object.values(args);
  return `${tool}:${argument === undefined ? "current" : String(argument)}`;
}

/** Descriptions come from the service itself, whose contract is pinned; arguments are checked on this side too. */
export function createCommerceReadTools(deps: { commerceFor: CommerceFor; specs: readonly ToolSpec[] }): Tool[] {
  return COMMERCE_READ_TOOLS.map((name) =>
    defineTool({
      name,
      description: deps.specs.find((spec) => spec.name === name)?.description ?? "",
      schema: COMMERCE_ARGUMENTS[name],
      isRead: true,
      run: (args, { applicant }, options) => read(name, args, options, deps.commerceFor(applicant)),
    }),
  );
}

async function read(
  name: CommerceReadTool,
  args: Record<string, unknown>,
  options: Parameters<Tool["run"]>[2],
  commerce: ReturnType<CommerceFor>,
): ReturnType<Tool["run"]> {
  const outcome = await commerce.call(name, args, options);
  if (outcome.kind !== "ok") return outcome;
  const sourceId = sourceIdOf(name, args);
  return {
    kind: "ok",
    result: { source_id: sourceId, data: outcome.data },
    gains: { facts: [{ sourceId, data: outcome.data }] },
  };
}
