/** Owns the whole graph of a case: nodes, edges, and the pause before money moves. */
import { type BaseCheckpointSaver, END, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";
import type { Approval } from "../domain/approval.js";
import type { CaseRow } from "../domain/case.js";
import { CaseId } from "../domain/ids.js";
import type { HostSource } from "./graph-host.js";
import { buildInvestigateGraph } from "./investigate-graph.js";
import { buildReviewGraph } from "./review-graph.js";
import { afterApprove, afterDeliver, afterIntake, afterPlan, afterSettle } from "./routes.js";
import { CaseChannels, CaseInput } from "./state.js";

/**
 * The graph as a function of its host. `interruptBefore: settle` makes recording a decision and executing it two acts for every client;
 * it is a convenience and guards nothing: the settle node and the commerce service check the approval again.
 */
export function buildSupportGraph(host: HostSource, checkpointer?: BaseCheckpointSaver) {
  const approvalOf = async (config: LangGraphRunnableConfig): Promise<Approval | null> => {
    const caseId = CaseId.safeParse(config.configurable?.thread_id);
    return caseId.success ? (await host()).approvals.latest(caseId.data) : null;
  };
  const rowOf = async (config: LangGraphRunnableConfig): Promise<CaseRow | null> => {
    const caseId = CaseId.safeParse(config.configurable?.thread_id);
    return caseId.success ? (await host()).cases.find(caseId.data) : null;
  };
  return new StateGraph({ state: CaseChannels, input: CaseInput })
    .addNode("intake", async (state, config) => {
      const { runUnit, nodes } = await host();
      return runUnit("plan", nodes.intake, state, config);
    })
    .addNode("plan", async (state, config) => {
      const { runUnit, nodes } = await host();
      return runUnit("plan", nodes.plan, state, config);
    })
    .addNode("investigate", buildInvestigateGraph(host))
    .addNode("review", buildReviewGraph(host))
    .addNode("deliver", async (state, config) => {
      const { runUnit, nodes } = await host();
      return runUnit("deliver", nodes.deliver, state, config);
    })
    .addNode("approve", async (state, config) => {
      const { runUnit, nodes } = await host();
      return runUnit("approve", nodes.approve, state, config);
    })
    .addNode("settle", async (state, config) => {
      const { runUnit, nodes } = await host();
      return runUnit("settle", nodes.settle, state, config);
    })
    .addEdge(START, "intake")
    .addConditionalEdges(
      "intake",
      async (_state, config) => afterIntake(await rowOf(config), await approvalOf(config)),
      ["plan", "deliver", "approve", END],
    )
    .addConditionalEdges("plan", afterPlan, ["investigate", "deliver"])
    .addEdge("investigate", "review")
    .addEdge("review", "deliver")
    .addConditionalEdges("deliver", async (_state, config) => afterDeliver(await approvalOf(config)), ["approve", END])
    .addConditionalEdges("approve", async (_state, config) => afterApprove(await approvalOf(config)), [
      "settle",
      "deliver",
      "approve",
      END,
    ])
    .addConditionalEdges("settle", async (_state, config) => afterSettle(await approvalOf(config)), [
      "approve",
      "deliver",
      END,
    ])
    .compile({
      name: "qinghe-aftersales",
      interruptBefore: ["settle"],
      ...(checkpointer === undefined ? {} : { checkpointer }),
    });
}

export type SupportGraph = ReturnType<typeof buildSupportGraph>;
