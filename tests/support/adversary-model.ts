/** A chat model without good will: what it replies is up to the test, and it keeps everything that it was shown. */
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { z } from "zod";

const Data = z.record(z.string(), z.unknown());

export type Shown = {
  /** `plan`, `investigate`, `compose` or `critique`, read from the first line. */
  step: string;
  /** The one JSON message that follows the instructions. */
  data: Record<string, unknown>;
  /** What the tools have answered so far, as text. */
  results: string[];
  offersTools: boolean;
};

export type Responder = (shown: Shown) => BaseMessage;

type CallOptions = BaseChatModelCallOptions & { tools?: BindToolsInput[] };

export class AdversaryModel extends BaseChatModel<CallOptions> {
  /** Replaced for every case. */
  respond: Responder = () => new AIMessage("nothing to say");
  /** Every text of every message since the last `forget`. */
  readonly seen: string[] = [];
  requests = 0;

  constructor() {
    super({ maxRetries: 0, disableStreaming: true });
  }

  _llmType(): string {
    return "adversary";
  }

  override bindTools(tools: BindToolsInput[], kwargs: Partial<CallOptions> = {}) {
    return this.withConfig({ ...kwargs, tools });
  }

  forget(): void {
    this.seen.length = 0;
    this.requests = 0;
  }

  async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    this.requests += 1;
    this.seen.push(...messages.map((message) => message.text));
    const [system, human, ...history] = messages;
    const message = this.respond({
      step: /^qinghe-aftersales\/(\w+) v\d+$/.exec(system?.text.split("\n", 1)[0] ?? "")?.[1] ?? "unknown",
      data: Data.parse(JSON.parse(human?.text ?? "{}")),
      results: history.filter((entry) => ToolMessage.isInstance(entry)).map((entry) => entry.text),
      offersTools: (options.tools ?? []).length > 0,
    });
    return { generations: [{ text: "", message }] };
  }
}

export type Wish = { name: string; args: unknown; id?: unknown };

let calls = 0;

/** An assistant message that asks for tools. Arguments, names and ids are sent as they are, whatever they are. */
export function asking(wishes: readonly Wish[], text = ""): AIMessage {
  const tool_calls = wishes.map(({ name, args, ...rest }) => {
    calls += 1;
    return { type: "tool_call" as const, name, args, id: "id" in rest ? rest.id : `call_${calls}` };
  });
  return withParts(new AIMessage(text), { tool_calls });
}

/** Sets fields of a message behind the constructor's back, the way a broken provider would. */
export function withParts(message: AIMessage, parts: Record<string, unknown>): AIMessage {
  return Object.assign(message, parts);
}

export function saying(value: unknown): AIMessage {
  return new AIMessage(typeof value === "string" ? value : JSON.stringify(value));
}
