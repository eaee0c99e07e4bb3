/** Owns what a model is told about the tools: names, descriptions and schemas, without anything that could be called. */
import { z } from "zod";
import type { ToolSpec } from "../domain/ports.js";
import type { ToolRegistry } from "./registry.js";

export function modelSpecs(registry: ToolRegistry): ToolSpec[] {
  return [...registry.values()].map(({ name, description, schema }) => ({
    name,
    description,
    schema: z.record(z.string(), z.unknown()).parse(z.toJSONSchema(schema)),
  }));
}
