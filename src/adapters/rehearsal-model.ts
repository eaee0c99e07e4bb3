/**
 * Owns the rehearsal model: a chat model without an LLM behind it. It gets the messages a live model would get, proposes tool calls and
 * writes plan, answer and review by rule, from those messages alone. The same messages always give the same reply.
 */
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { readCase } from "./rehearsal/case-view.js";
import { composeAnswer } from "./rehearsal/compose-rules.js";
import { reviewCandidate } from "./rehearsal/critique-rules.js";
import { nextCalls, summarise, turnNumber } from "./rehearsal/investigate-rules.js";
import { planCase } from "./rehearsal/plan-rules.js";
import { boundToolNames, type Request, readRequest } from "./rehearsal/read-messages.js";

export type RehearsalCallOptions = BaseChatModelCallOptions & { tools?: BindToolsInput[] };

export class RehearsalChatModel extends BaseChatModel<RehearsalCallOptions> {
  constructor() {
    super({ maxRetries: 0, disableStreaming: true });
  }

  _llmType(): string {
    return "rehearsal";
  }

  override bindTools(tools: BindToolsInput[], kwargs: Partial<RehearsalCallOptions> = {}) {
    return this.withConfig({ ...kwargs, tools });
  }

  async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const message = reply(readRequest(messages), boundToolNames(options.tools));
    return { generations: [{ text: message.text, message }] };
  }
}

export function createRehearsalModel(): RehearsalChatModel {
  return new RehearsalChatModel();
}

function reply(request: Request, tools: ReadonlySet<string>): AIMessage {
  switch (request.step) {
    case "plan":
      return jsonMessage(planCase(readCase(request.data)));
    case "investigate":
      return investigate(request, tools);
    case "compose":
      return jsonMessage(composeAnswer(readCase(request.data)));
    case "critique":
      return jsonMessage(reviewCandidate(request.data));
    case null:
      return new AIMessage(
        "This is a rule-based rehearsal model. It answers the plan, investigate, compose and critique steps only.",
      );
  }
}

function jsonMessage(value: Record<string, unknown>): AIMessage {
  return new AIMessage(JSON.stringify(value));
}

function investigate({ data, exchanges }: Request, tools: ReadonlySet<string>): AIMessage {
  const view = readCase(data, exchanges);
  const isLastTurn = typeof data.turns_left === "number" && data.turns_left <= 1;
  const calls = isLastTurn ? [] : nextCalls({ view, exchanges }, tools);
  if (calls.length === 0) return new AIMessage(summarise(view));
  const turn = turnNumber(exchanges);
  return new AIMessage({
    content: "",
    tool_calls: calls.map((call, index) => ({ ...call, id: `call_${turn}_${index}`, type: "tool_call" as const })),
  });
}
