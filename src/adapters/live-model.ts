/** Owns the live model: one OpenAI-compatible endpoint, chat completions only, no retries, no redirects, no streaming, no hidden thinking. */
import { ChatOpenAICompletions } from "@langchain/openai";
import { LIMITS } from "../domain/limits.js";
import type { ChatModels } from "../domain/ports.js";
import { createChatModels } from "./chat-models.js";
import type { LiveModelSettings } from "./model-settings.js";

export function createLiveModel(settings: LiveModelSettings): ChatModels {
  const model = new ChatOpenAICompletions({
    model: settings.model,
    apiKey: settings.apiKey,
    temperature: 0.1,
    maxTokens: LIMITS.modelOutputTokens,
    timeout: LIMITS.modelRequestMs,
    maxRetries: 0,
    disableStreaming: true,
    configuration: {
      baseURL: settings.baseUrl,
      organization: null,
      project: null,
      // A redirect would take the customer's text to a host that nobody configured.
      fetchOptions: { redirect: "error" },
      // OPENAI_LOG=debug would print requests on stdout.
      logLevel: "off",
    },
    modelKwargs: thinkingFor(settings.baseUrl),
  });
  return createChatModels({
    label: settings.model,
    json: model.withConfig({ response_format: { type: "json_object" } }),
    withTools: (tools) => model.bindTools(tools),
  });
}

/** Thinking is switched off where the setting exists; the endpoint of OpenAI itself refuses parameters that it does not know. */
export function thinkingFor(baseUrl: string): { thinking?: { type: "disabled" } } {
  return new URL(baseUrl).hostname === "api.openai.com" ? {} : { thinking: { type: "disabled" } };
}
