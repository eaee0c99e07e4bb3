/** A chat model that follows a script: it decides from the messages it is shown, and writes down what it was asked and offered. */
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { z } from "zod";

const Named = z.looseObject({ name: z.string().optional(), function: z.looseObject({ name: z.string() }).optional() });

export type ScriptedCall = {
  /** plan, investigate, compose or critique, as the system message names it. */
  step: string;
  messages: BaseMessage[];
  /** The one JSON object after the system message. */
  data: Record<string, unknown>;
  tools: string[];
};
/** `count` is 0 for the first request. A list is followed entry by entry; running out of it is a failure. */
export type Script = ((call: ScriptedCall, count: number) => AIMessage | Error) | readonly (AIMessage | Error)[];

type Options = BaseChatModelCallOptions & { tools?: BindToolsInput[] };

export class ScriptedChatModel extends BaseChatModel<Options> {
  readonly calls: ScriptedCall[] = [];
  readonly #script: Script;

  constructor(script: Script) {
    super({ maxRetries: 0, disableStreaming: true });
    this.#script = script;
  }

  _llmType(): string {
    return "scripted";
  }

  override bindTools(tools: BindToolsInput[], kwargs: Partial<Options> = {}) {
    return this.withConfig({ ...kwargs, tools });
  }

  async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const [system, user] = messages;
    const call: ScriptedCall = {
      step: /qinghe-aftersales\/(\w+)/.exec(system?.text ?? "")?.[1] ?? "unknown",
      messages: [...messages],
      data: z.record(z.string(), z.unknown()).parse(JSON.parse(user?.text ?? "{}")),
      tools: (options.tools ?? []).map(toolName),
    };
    this.calls.push(call);
    const count = this.calls.length - 1;
    const script = this.#script;
    const reply = typeof script === "function" ? script(call, count) : script[count];
    if (reply === undefined) throw new Error(`the script has no reply number ${count + 1}`);
    if (reply instanceof Error) throw reply;
    return { generations: [{ text: reply.text, message: reply }] };
  }
}

function toolName(tool: BindToolsInput): string {
  const { name, function: described } = Named.parse(tool);
  return name ?? described?.name ?? "";
}

export function says(text: string): AIMessage {
  return new AIMessage(text);
}

export function saysJson(value: unknown): AIMessage {
  return new AIMessage(JSON.stringify(value));
}

/** A turn that asks for tools; an argument given as text is one the model sent malformed. */
export function asksFor(...calls: { id: string; name: string; args: Record<string, unknown> | string }[]): AIMessage {
  const tool_calls = calls.flatMap(({ id, name, args }) =>
    typeof args === "string" ? [] : [{ id, name, args, type: "tool_call" as const }],
  );
  const invalid_tool_calls = calls.flatMap(({ id, name, args }) =>
    typeof args === "string" ? [{ id, name, args, error: "not JSON", type: "invalid_tool_call" as const }] : [],
  );
  return new AIMessage({ content: "", tool_calls, invalid_tool_calls });
}
