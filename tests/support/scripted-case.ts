/** A whole case whose model follows a script while it investigates, and otherwise plans and answers soberly. */
import { ToolMessage } from "@langchain/core/messages";
import { z } from "zod";
import { ScriptedChatModel, says, saysJson } from "./scripted-model.js";

type Turns = readonly ReturnType<typeof says>[];

const ANSWER = {
  answer: "QH-1001 was delivered on 5 September 2026.",
  citations: ["get_order:QH-1001"],
  next_action: "answer",
};

/** The model asks for `turns` one after the other, then says that it is done. `QH-1001` is the order of the question. */
export function investigating(turns: Turns, plan: Record<string, unknown> = {}): ScriptedChatModel {
  let turn = 0;
  return new ScriptedChatModel(({ step }) => {
    if (step === "plan") {
      return saysJson({
        intent: "delivery",
        order_id: "QH-1001",
        action_requested: false,
        queries: [],
        milestones: [],
        ...plan,
      });
    }
    if (step === "investigate") return turns[turn++] ?? says("done");
    return step === "compose" ? saysJson(ANSWER) : saysJson({ verdict: "pass", feedback: "" });
  });
}

/** Every tool result the model has been shown, once each, in the order of the calls. */
export function resultsIn(model: ScriptedChatModel): Record<string, unknown>[] {
  const last = model.calls.filter(({ step }) => step === "investigate").at(-1);
  return (last?.messages ?? [])
    .filter((message) => ToolMessage.isInstance(message))
    .map((message) => z.record(z.string(), z.unknown()).parse(JSON.parse(message.text)));
}
