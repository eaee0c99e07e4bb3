/** Owns reading a request: which step it is, its data object, and the tool calls already answered in it. */
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { type Fields, fieldsOf, listOf, parseFields, textOf } from "./untyped.js";

export type Step = "plan" | "investigate" | "compose" | "critique";

/** One call of the transcript with its answer. An answer that was cut off is neither a result nor an error. */
export type Exchange = {
  id: string;
  name: string;
  args: Fields;
  result: Fields | null;
  error: { category: string; code: string } | null;
};

export type Request = { step: Step | null; data: Fields; exchanges: Exchange[] };

export function readRequest(messages: readonly BaseMessage[]): Request {
  const system = messages.find((message) => SystemMessage.isInstance(message));
  const human = messages.find((message) => HumanMessage.isInstance(message));
  return {
    step: stepOf(system?.text ?? ""),
    data: parseFields(human?.text ?? ""),
    exchanges: readExchanges(messages),
  };
}

function stepOf(instructions: string): Step | null {
  const name = /^qinghe-aftersales\/([a-z]+) v\d+/.exec(instructions)?.[1];
  return name === "plan" || name === "investigate" || name === "compose" || name === "critique" ? name : null;
}

function readExchanges(messages: readonly BaseMessage[]): Exchange[] {
  const answers = new Map(
    messages
      .filter((message) => ToolMessage.isInstance(message))
      .map((message) => [message.tool_call_id, message.text]),
  );
  return messages
    .filter((message) => AIMessage.isInstance(message))
    .flatMap((message) => message.tool_calls ?? [])
    .map((call) => {
      const id = textOf(call.id);
      const answer = parseFields(answers.get(id) ?? "");
      const error = fieldsOf(answer.error);
      return {
        id,
        name: call.name,
        args: fieldsOf(call.args),
        result: answer.ok === true ? fieldsOf(answer.result) : null,
        error: answer.ok === false ? { category: textOf(error.category), code: textOf(error.code) } : null,
      };
    });
}

/** The names of the tools bound to a request, whichever of the accepted forms they have. */
export function boundToolNames(tools: unknown): Set<string> {
  const names = listOf(tools).map((tool) => {
    const fields = fieldsOf(tool);
    return textOf(fields.name) || textOf(fieldsOf(fields.function).name);
  });
  return new Set(names.filter((name) => name !== ""));
}
