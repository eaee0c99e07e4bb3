/** Owns the graph of the local server for LangGraph Studio. Loading and building open nothing; the first node that runs does. */
import { DecisionAnswer } from "../domain/approval.js";
import { type Callers, identityOf } from "./compose.js";
import { localSigning } from "./signing.js";
import { sharedHost } from "./studio-host.js";
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

const source = sharedHost(({ dataDir, studio }) => localCallers(dataDir, studio.customer, studio.reviewer));

export const graph = async (): Promise<SupportGraph> => buildSupportGraph(source);
