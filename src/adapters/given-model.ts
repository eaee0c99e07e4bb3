/** Owns using a chat model object that a program or a test brings along, through the same requests and checks as the live one. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AftersalesError } from "../domain/errors.js";
import type { ChatModels } from "../domain/ports.js";
import { createChatModels } from "./chat-models.js";

export function createGivenModel(model: BaseChatModel, label: string): ChatModels {
  return createChatModels({
    label,
    json: model,
    withTools(tools) {
      if (model.bindTools === undefined) throw new AftersalesError("model_not_configured", { missing: "bindTools" });
      return model.bindTools(tools);
    },
  });
}
