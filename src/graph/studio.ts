/** Owns the graph as LangGraph Studio and other LangGraph clients load it. Loading and building open nothing; the first node that runs does. */
import { DecisionAnswer } from "../domain/approval.js";
import { type Callers, chooseModel, createHost, identityOf, initialise, readConfig, systemClocks } from "./compose.js";
import type { GraphHost, HostSource } from "./graph-host.js";
import { localSigning } from "./signing.js";
import { buildSupportGraph, type SupportGraph } from "./support-graph.js";

/**
 * A local server has no login: every question counts as the one configured demo customer's. A decision counts as the reviewer's only
 * when the operator has named one in AFTERSALES_STUDIO_REVIEWER and the answer is signed with that name.
 */
function localCallers(dataDir: string, customer: string, reviewer: string | null): Callers {
  const asker = identityOf(dataDir, customer);
  const decider = reviewer === null ? null : identityOf(dataDir, reviewer);
  return {
    callerOf: () => asker,
    signing: localSigning(asker, decider),
    callerFor: (_config, answer) => {
      const parsed = DecisionAnswer.safeParse(answer);
      return parsed.success && decider !== null && parsed.data.by === decider.user ? decider : asker;
    },
  };
}

async function openStudioHost(): Promise<GraphHost> {
  const config = readConfig();
  const { dataDir, studio } = config;
  const base = { config, stateDir: studio.stateDir, dataDir, clocks: systemClocks };
  await initialise(base);
  const host = createHost({
    ...base,
    models: () => chooseModel(config, config.modelKind),
    callers: localCallers(dataDir, studio.customer, studio.reviewer),
  });
  return host.graph();
}

/** The server calls the factory for every request; all of them share one host, opened by the first node that runs. */
function sharedSource(): HostSource {
  let opening: Promise<GraphHost> | undefined;
  return () => {
    opening ??= openStudioHost().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
}

const source = sharedSource();

export const graph = async (): Promise<SupportGraph> => buildSupportGraph(source);
