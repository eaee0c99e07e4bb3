/** Owns examining an installation: each part is tried by itself, so that one that is broken does not hide another. */
import { createCommerceLine } from "../adapters/commerce-line.js";
import { openDataDesk } from "../adapters/data-desk.js";
import { readProfile } from "../adapters/data-directory.js";
import { inspectState } from "../adapters/state-check.js";
import { statePaths } from "../adapters/state-directory.js";
import { openStores } from "../adapters/stores.js";
import { toAftersalesError } from "../adapters/to-error.js";
import { AftersalesError } from "../domain/errors.js";
import type { ChatModels } from "../domain/ports.js";
import type { Clocks, HostOptions } from "./compose.js";

/** `detail` says what was found; `code` and `advice` what is wrong and what to do about it. */
export type Finding = {
  name: "node" | "data" | "state" | "commerce" | "model" | "tracing" | "request";
  status: "ok" | "note" | "broken";
  detail: string;
  code?: string;
  advice?: string;
};

type Config = HostOptions["config"];
type Examined = { config: Config; stateDir: string; dataDir: string; profile: string; clocks: Clocks };

/** Never throws for what it finds. Sends nothing anywhere; `examineRequest` does. */
export async function examine(input: Examined & { kind: "live" | "rehearsal" }): Promise<Finding[]> {
  return [
    { name: "node", status: "ok", detail: `${process.version} is supported` },
    await found("data", async () => examineData(input)),
    await found("state", () => examineState(input)),
    await found("commerce", () => examineCommerce(input)),
    input.kind === "rehearsal"
      ? { name: "model", status: "ok", detail: "the rehearsal model is chosen (rules, not an LLM); it needs no key" }
      : examineModel(input.config),
    tracing(input.config),
  ];
}

/** One small request to the live model. Charged by its provider, not to any case. */
export async function examineRequest(models: () => ChatModels, signal: AbortSignal): Promise<Finding> {
  return found("request", async () => {
    const request = {
      step: "plan" as const,
      system: 'This is a connection test. Reply with the JSON object {"ok": true} and nothing else.',
      user: "{}",
      turns: [],
      tools: [],
    };
    const { usage } = await models().ask(request, signal);
    const spent = usage === null ? "usage not told" : `${usage.inputTokens} tokens in, ${usage.outputTokens} out`;
    return { status: "ok", detail: `one request was answered (${spent})` };
  });
}

async function found(name: Finding["name"], look: () => Promise<Omit<Finding, "name">>): Promise<Finding> {
  try {
    return { name, ...(await look()) };
  } catch (error) {
    const { code, message } = toAftersalesError(error);
    return { name, status: "broken", detail: message, code, advice: ADVICE[name] };
  }
}

const ADVICE: Record<Finding["name"], string> = {
  node: "Install a newer Node.",
  data: "Run aftersales check-data for all that is wrong in the files.",
  state: "Run aftersales init, which makes what is missing and replaces nothing, or pass the right --state-dir.",
  commerce:
    "If data and state are in order, reinstall with npm ci, and unset AFTERSALES_COMMERCE_COMMAND if it is set.",
  model: "Set what is missing, or use --model rehearsal, which needs no key.",
  tracing: "Unset AFTERSALES_TRACING.",
  request: "Check key, balance, model id and address with the provider, then run aftersales doctor --live again.",
};

async function examineData({ dataDir, profile }: Examined): Promise<Omit<Finding, "name">> {
  const desk = openDataDesk(dataDir);
  const { counts, defects } = desk.inspect();
  const [first] = defects;
  if (first !== undefined)
    throw new AftersalesError("data_invalid", { file: first.file, detail: `${first.place}: ${first.advice}` });
  readProfile(dataDir, profile);
  const hash = desk.hash().slice(0, 12);
  return { status: "ok", detail: `${counts.orders} orders, ${counts.documents} documents, hash ${hash}` };
}

async function examineState({ stateDir, clocks }: Examined): Promise<Omit<Finding, "name">> {
  const paths = statePaths(stateDir);
  const { missing, open } = inspectState(paths);
  if (missing.length > 0) {
    const detail = missing.includes(".") ? `${stateDir} is not there` : `${stateDir} lacks ${missing.join(", ")}`;
    return { status: "broken", detail, code: "state_missing", advice: ADVICE.state };
  }
  const stores = await openStores({ paths, clock: clocks.runtime, create: false });
  try {
    await stores.checkpoints();
  } finally {
    await stores.close();
  }
  if (open.length === 0) return { status: "ok", detail: `${stateDir} opens and is yours alone` };
  return {
    status: "broken",
    detail: `others on this machine may use ${open.join(", ")} in ${stateDir}`,
    code: "state_not_private",
    advice: "Take the others' rights away: chmod -R go-rwx on the state directory.",
  };
}

async function examineCommerce({ config, stateDir, dataDir, profile }: Examined): Promise<Omit<Finding, "name">> {
  const line = createCommerceLine({ process: config.commerce, paths: statePaths(stateDir), dataDir });
  try {
    const tools = await line.bridge(readProfile(dataDir, profile)).tools();
    return { status: "ok", detail: `the process starts and offers the ${tools.length} tools this program knows` };
  } finally {
    await line.close();
  }
}

/** Names variables, the model id and the host. The key's value is not looked at here. */
function examineModel({ live }: Config): Finding {
  const { apiKey, model, baseUrl } = live.sources;
  if (live.ok) {
    const host = `${new URL(live.settings.baseUrl).host} from ${baseUrl ?? "the default"}`;
    const detail = `${live.settings.model} from ${model}, key from ${apiKey}, endpoint ${host}`;
    return { name: "model", status: "ok", detail };
  }
  if (live.code === "model_settings_invalid")
    return {
      name: "model",
      status: "broken",
      detail: `${live.variable}: ${live.detail}`,
      code: live.code,
      advice: `Correct ${live.variable}.`,
    };
  const detail = `no live model is configured: ${live.missing} is not set`;
  return { name: "model", status: "note", detail, code: live.code, advice: ADVICE.model };
}

function tracing({ isTraced }: Config): Finding {
  return isTraced
    ? { name: "tracing", status: "note", detail: "questions and answers also go to LangSmith", advice: ADVICE.tracing }
    : { name: "tracing", status: "ok", detail: "off; only the model's endpoint is contacted" };
}
