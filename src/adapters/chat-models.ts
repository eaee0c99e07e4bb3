/** Owns asking a chat model: our plain request becomes LangChain messages, its reply is checked, and its failures become our codes. */
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { z } from "zod";
import { assertPlainJson } from "../domain/canonical.js";
import { AftersalesError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import type { ChatModels, ModelReply, ModelRequest, RawToolCall, ToolSpec } from "../domain/ports.js";

const Call = z
  .looseObject({ id: z.string().optional().catch(undefined), name: z.string().catch(""), args: z.unknown() })
  .catch({ name: "", args: null });
const TextBlock = z.looseObject({ type: z.literal("text"), text: z.string() });

/** Anything that answers messages with one message: a chat model, or one with tools or a reply format bound. */
type Asker = { invoke(messages: BaseMessage[], options: { signal: AbortSignal }): Promise<unknown> };

type FunctionTool = {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown> };
};

/** What this needs of a chat model. `json` asks for one JSON object, `withTools` offers tools. */
export type ModelParts = { label: string; json: Asker; withTools(tools: FunctionTool[]): Asker };

/** One request, one reply. Throws `model_request_timeout`, `model_refused`, `model_unavailable` or `invalid_model_output`. */
export function createChatModels(parts: ModelParts): ChatModels {
  return {
    label: parts.label,
    async ask(request, signal) {
      const asker = request.tools.length === 0 ? parts.json : parts.withTools(request.tools.map(functionTool));
      // The client's own timeout ends with the response headers; only a signal also bounds the body.
      const timeout = AbortSignal.timeout(LIMITS.modelRequestMs);
      let message: unknown;
      try {
        message = await asker.invoke(toMessages(request), { signal: AbortSignal.any([signal, timeout]) });
      } catch (error) {
        throw failureOf(error, signal, timeout);
      }
      return readReply(message);
    },
  };
}

function functionTool({ name, description, schema }: ToolSpec): FunctionTool {
  return { type: "function", function: { name, description, parameters: schema } };
}

function toMessages(request: ModelRequest): BaseMessage[] {
  const turns = request.turns.flatMap(({ text, calls, answers }) => [
    new AIMessage({ content: text, tool_calls: calls.map((call) => ({ ...call, type: "tool_call" as const })) }),
    ...answers.map(
      ({ id, name, ok, content }) =>
        new ToolMessage({ tool_call_id: id, name, content, status: ok ? "success" : "error" }),
    ),
  ]);
  return [new SystemMessage(request.system), new HumanMessage(request.user), ...turns];
}

/** The provider's own text is never passed on: it can hold the key, or instructions. */
function failureOf(error: unknown, signal: AbortSignal, timeout: AbortSignal): AftersalesError {
  const cause = { cause: new Error(describe(error)) };
  if (signal.aborted)
    return signal.reason instanceof AftersalesError ? signal.reason : new AftersalesError("cancelled");
  if (timeout.aborted) return new AftersalesError("model_request_timeout", {}, cause);
  if (error instanceof AftersalesError) return error;
  const status = statusOf(error);
  const refused = status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429;
  return new AftersalesError(refused ? "model_refused" : "model_unavailable", {}, cause);
}

function statusOf(error: unknown): number | null {
  return error instanceof Error && "status" in error && typeof error.status === "number" ? error.status : null;
}

function describe(error: unknown): string {
  const name = error instanceof Error ? error.constructor.name : typeof error;
  const status = statusOf(error);
  return status === null ? name : `${name} ${status}`;
}

function readReply(message: unknown): ModelReply {
  if (!AIMessage.isInstance(message)) throw new AftersalesError("invalid_model_output");
  const finish: unknown = message.response_metadata.finish_reason;
  if (finish !== undefined && finish !== null && finish !== "stop" && finish !== "tool_calls") {
    throw new AftersalesError("invalid_model_output", {}, { cause: new Error("unexpected finish reason") });
  }
  const calls = [
    ...listOf(message.tool_calls).map(readCall),
    ...listOf(message.invalid_tool_calls).map((call) => ({ ...readCall(call), args: {}, malformed: true })),
  ];
  const text = textIn(message.content);
  if (text.trim() === "" && calls.length === 0) throw new AftersalesError("invalid_model_output");
  return { text, calls, usage: usageOf(message) };
}

/** A message's types are its provider's promise. Whatever stands in a call's place becomes a call that the gate can refuse. */
function readCall(value: unknown): RawToolCall {
  const { id, name, args } = Call.parse(value);
  return isPlainJson(args) ? { id, name, args, malformed: false } : { id, name, args: {}, malformed: true };
}

function isPlainJson(value: unknown): boolean {
  try {
    assertPlainJson(value);
    return true;
  } catch {
    return false;
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((block) => TextBlock.safeParse(block).data?.text ?? "")
    .join("");
}

/** LangChain reports missing usage as an object without numbers, so only real counts pass. */
function usageOf(message: AIMessage): ModelReply["usage"] {
  const usage = message.usage_metadata;
  if (usage === undefined || usage === null) return null;
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
  const known = [inputTokens, outputTokens].every((count) => Number.isSafeInteger(count) && count >= 0);
  return known ? { inputTokens, outputTokens } : null;
}
