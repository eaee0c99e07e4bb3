/** Owns choosing the model. Libraries are loaded when a model is first asked: looking at a case takes none. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { HostConfig } from "../adapters/config.js";
import { AftersalesError } from "../domain/errors.js";
import type { ChatModels } from "../domain/ports.js";
import { once } from "./once.js";

const REHEARSAL_LABEL = "rehearsal model (rules, not an LLM)";

/** The configured model. The live path never falls back to anything. Throws `model_not_configured` or `model_settings_invalid` at once, loads the rest when asked. */
export function chooseModel(config: HostConfig, kind: "live" | "rehearsal", given?: BaseChatModel): ChatModels {
  if (given !== undefined) return loadedWhenAsked("given model", () => given);
  if (kind === "rehearsal") {
    const rehearsal = async () => (await import("../adapters/rehearsal-model.js")).createRehearsalModel();
    return loadedWhenAsked(REHEARSAL_LABEL, rehearsal);
  }
  const { live } = config;
  if (!live.ok) {
    const { ok: _ok, code, sources: _sources, ...details } = live;
    throw new AftersalesError(code, details);
  }
  const loaded = once(async () => (await import("../adapters/live-model.js")).createLiveModel(live.settings));
  return { label: live.settings.model, ask: async (request, signal) => (await loaded()).ask(request, signal) };
}

function loadedWhenAsked(label: string, load: () => BaseChatModel | Promise<BaseChatModel>): ChatModels {
  const loaded = once(async () => {
    const { createGivenModel } = await import("../adapters/given-model.js");
    return createGivenModel(await load(), label);
  });
  return { label, ask: async (request, signal) => (await loaded()).ask(request, signal) };
}
