/** Owns the program behind a server's graph: opened by the first node that runs, shared by every request after it. */
import { type Callers, chooseModel, createHost, readConfig, systemClocks } from "./compose.js";
import { initialise } from "./compose-state.js";
import type { GraphHost, HostSource } from "./graph-host.js";

type Settings = ReturnType<typeof readConfig>;

/** `callersFor` says whose name questions and decisions count under. */
export function sharedHost(callersFor: (config: Settings) => Callers): HostSource {
  let opening: Promise<GraphHost> | undefined;
  return () => {
    opening ??= open(callersFor).catch((error: unknown) => {
      opening = undefined;
      throw error;
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
  return createHost({ ...base, models: () => chooseModel(config, config.modelKind), callers }).graph();
}
