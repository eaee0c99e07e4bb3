/** Owns the program behind a server's graph: opened by the first node that runs, shared by every request after it. */
import { AftersalesError } from "../domain/errors.js";
import { type Callers, chooseModel, createHost, readConfig, systemClocks } from "./compose.js";
import { initialise } from "./compose-state.js";
import type { GraphHost, HostSource } from "./graph-host.js";
import type { RunUnit } from "./lease-wrapper.js";

type Settings = ReturnType<typeof readConfig>;

/** `callersFor` says whose name questions and decisions count under. */
export function sharedHost(callersFor: (config: Settings) => Callers): HostSource {
  let opening: Promise<GraphHost> | undefined;
  return () => {
    opening ??= open(callersFor).catch((error: unknown) => {
      opening = undefined;
      throw told(error);
    });
    return opening;
  };
}

async function open(callersFor: (config: Settings) => Callers): Promise<GraphHost> {
  const config = readConfig();
  const { dataDir, studio } = config;
  const base = { config, stateDir: studio.stateDir, dataDir, clocks: systemClocks };
  const callers = callersFor(config);
  await initialise(base);
  const host = await createHost({ ...base, models: () => chooseModel(config, config.modelKind), callers }).graph();
  const runUnit: RunUnit = (phase, node, state, run) =>
    host.runUnit(phase, node, state, run).catch((error: unknown) => {
      throw told(error);
    });
  return { ...host, runUnit };
}

/** The server passes on an error's name and message and nothing else, so both carry the code. */
function told(error: unknown): unknown {
  if (!(error instanceof AftersalesError)) return error;
  const shown = new Error(`${error.message} (${error.code})`, { cause: error });
  shown.name = error.code;
  return shown;
}
