/** Owns the live model: one OpenAI-compatible endpoint, chat completions only, no retries, no streaming, no hidden thinking. */
import { ChatOpenAICompletions } from "@langchain/openai";
import { LIMITS } from "../domain/limits.js";
import type { ChatModels } from "../domain/ports.js";
import { createChatModels } from "./chat-models.js";
import type { LiveModelSettings } from "./config.js";

export function createLiveModel(settings: LiveModelSettings): ChatModels {
  const model = new ChatOpenAICompletions({
    model: settings.model,
    apiKey: settings.apiKey,
    temperature: 0.1,
    maxTokens: LIMITS.modelOutputTokens,
    timeout: LIMITS.modelRequestMs,
    maxRetries: 0,
    disableStreaming: true,
    configuration: { baseURL: settings.baseUrl, organization: null, project: null },
    modelKwargs: { thinking: { type: "disabled" } },
  });
  return createChatModels({
    label: settings.model,
    json: model.withConfig({ response_format: { type: "json_object" } }),
    withTools: (tools) => model.bindTools(tools),
  });
}
