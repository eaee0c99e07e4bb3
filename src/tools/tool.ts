/** Owns the shape of one tool: how it is described to a model, what it takes, and what running it brings into the case. */
import type { z } from "zod";
import type { ToolErrorWire } from "../domain/commerce-wire.js";
import type { Intent } from "../domain/contracts.js";
import type { CaseId, Language, OrderId } from "../domain/ids.js";
import type { Passage } from "../domain/policy-document.js";
import type { Applicant, CallOptions } from "../domain/ports.js";
import type { Quote } from "../domain/refund-policy.js";
import type { ModelToolName } from "./allowlist.js";

/** What a tool may know of the case it runs for. Bound by the host; no argument can change it. */
export type ToolContext = {
  caseId: CaseId;
  applicant: Applicant;
  language: Language;
  intent: Intent;
  orderId: OrderId | null;
};

/** What a successful call adds to the case. */
export type Gains = {
  facts?: { sourceId: string; data: Record<string, unknown> }[];
  passages?: { list: Passage[]; mandatory: boolean };
  quote?: Quote;
};

export type ToolOutcome =
  | { kind: "ok"; result: Record<string, unknown>; gains: Gains }
  | { kind: "error"; error: ToolErrorWire; cause?: string }
  | { kind: "cancelled" };

export type Tool = {
  name: ModelToolName;
  description: string;
  schema: z.ZodObject;
  /** A read may be tried once more after a transient failure; a write may not. */
  isRead: boolean;
  run(args: Record<string, unknown>, context: ToolContext, options: CallOptions): Promise<ToolOutcome>;
};

/** Ties a tool's arguments to its own schema, so that its body sees typed values. */
export function defineTool<Schema extends z.ZodObject>(definition: {
  name: ModelToolName;
  description: string;
  schema: Schema;
  isRead: boolean;
  run(args: z.infer<Schema>, context: ToolContext, options: CallOptions): Promise<ToolOutcome>;
}): Tool {
  return {
    ...definition,
    run: (args, context, options) => definition.run(definition.schema.parse(args), context, options),
  };
}
