/** Owns the review loop: compose, critique, at most one rewrite. */
import { END, START, StateGraph } from "@langchain/langgraph";
import type { HostSource } from "./graph-host.js";
import { afterCompose, afterCritique } from "./routes.js";
import { ReviewChannels, ReviewInput, ReviewOutput } from "./state.js";

export function buildReviewGraph(host: HostSource) {
  return new StateGraph({ state: ReviewChannels, input: ReviewInput, output: ReviewOutput })
    .addNode("compose", async (state, config) => {
      const { runUnit, nodes } = await host();
      return runUnit("review", nodes.compose, state, config);
    })
    .addNode("critique", async (state, config) => {
      const { runUnit, nodes } = await host();
      return runUnit("review", nodes.critique, state, config);
    })
    .addEdge(START, "compose")
    .addConditionalEdges("compose", afterCompose, ["critique", "compose", END])
    .addConditionalEdges("critique", afterCritique, ["compose", END])
    .compile({ name: "review" });
}
