/** Owns a model that answers at once: what the rehearsal model said about one case is said again about every other order. */
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { createRehearsalModel } from "../src/adapters/rehearsal-model.js";

type Options = BaseChatModelCallOptions & { tools?: BindToolsInput[] };

const ORDER = /QH-[0-9]{4}/;
const STEP = /qinghe-aftersales\/(\w+)/;

/** Goes through LangChain like any other chat model; only the thinking costs nothing. */
export class InstantModel extends BaseChatModel<Options> {
  readonly #rehearsal = createRehearsalModel();
  readonly #replies = new Map<string, AIMessage>();

  constructor() {
    super({ maxRetries: 0, disableStreaming: true });
  }

  _llmType(): string {
    return "instant";
  }

  override bindTools(tools: BindToolsInput[], kwargs: Partial<Options> = {}) {
    return this.withConfig({ ...kwargs, tools });
  }

  async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const [order = ""] = ORDER.exec(messages[1]?.text ?? "") ?? [];
    const key = `${STEP.exec(messages[0]?.text ?? "")?.[1]} ${messages.length}`;
    const known = this.#replies.get(key);
    const message = known === undefined ? await this.#first(key, order, messages, options) : about(order, known);
    return { generations: [{ text: message.text, message }] };
  }

  async #first(key: string, order: string, messages: BaseMessage[], options: this["ParsedCallOptions"]) {
    const { generations } = await this.#rehearsal._generate(messages, options);
    const message = generations[0]?.message;
    if (!AIMessage.isInstance(message)) throw new Error(`no reply for ${key}`);
    this.#replies.set(key, about("QH-0000", message, order));
    return message;
  }
}

function about(order: string, { text, tool_calls = [] }: AIMessage, instead = "QH-0000"): AIMessage {
  const named = (said: string): string => said.replaceAll(instead, order);
  return new AIMessage({
    content: named(text),
    tool_calls: tool_calls.map((call) => ({ ...call, args: JSON.parse(named(JSON.stringify(call.args))) })),
  });
}
