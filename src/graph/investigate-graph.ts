/** Owns the investigation loop: think, act, think again. */
import { END, START, StateGraph } from "@langchain/langgraph";
import type { HostSource } from "./graph-host.js";
import { afterAct, afterThink } from "./routes.js";
import { InvestigateChannels, InvestigateInput, InvestigateOutput } from "./state.js";

export function buildInvestigateGraph(host: HostSource) {
  return new StateGraph({ state: InvestigateChannels, input: InvestigateInput, output: InvestigateOutput })
    .addNode("think", async (state, config) => {
      const { runUnit, nodes } = await host();
      return runUnit("investigate", nodes.think, state, config);
    })
    .addNode("act", async (state, config) => {
      const { runUnit, nodes } = await host();
      return runUnit("investigate", nodes.act, state, config);
    })
    .addEdge(START, "think")
    .addConditionalEdges("think", afterThink, ["act", END])
    .addConditionalEdges("act", afterAct, ["think", END])
    .compile({ name: "investigate" });
}
