/** Owns the form of a tool: its definition as data, and a call that checks arguments and answer against the strict schemas. */
import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import type { z } from "zod";
import type { CommerceToolName } from "../domain/commerce-wire.js";
import { Refusal } from "./refusal.js";

type Definition<Input extends z.ZodObject, Output extends z.ZodObject> = {
  name: CommerceToolName;
  description: string;
  annotations: ToolAnnotations;
  input: Input;
  output: Output;
  run: (args: z.output<Input>) => Promise<z.output<Output>>;
};

export type CommerceTool = {
  name: CommerceToolName;
  description: string;
  annotations: ToolAnnotations;
  input: z.ZodObject;
  output: z.ZodObject;
  /** Takes whatever a client sent. Throws `Refusal` for expected refusals; anything else it throws is a failure. */
  call: (args: unknown) => Promise<Record<string, unknown>>;
};

/** Turns a typed definition into one the server can hold beside the others. */
export function commerceTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): CommerceTool {
  const { input, output, run, ...described } = definition;
  return {
    ...described,
    input,
    output,
    call: async (args) => {
      const parsed = input.safeParse(args ?? {});
      if (!parsed.success) throw new Refusal("invalid_arguments");
      const result = output.safeParse(await run(parsed.data));
      if (!result.success) throw new Refusal("output_contract_broken");
      return result.data;
    },
  };
}
