/** Owns what a graph needs of the program around it. It is asked for on first use inside a node, so that building a graph does no work. */
import type { Applicant, Approvals, Cases, ToolSpec } from "../domain/ports.js";
import type { CaseState, InvestigateState, ReviewState } from "../nodes/case-state.js";
import type { Node } from "../nodes/unit.js";
import type { RunUnit } from "./lease-wrapper.js";

export type CaseNodes = {
  intake: Node<CaseState, Partial<CaseState>>;
  plan: Node<CaseState, Partial<CaseState>>;
  think: Node<InvestigateState, Partial<InvestigateState>>;
  act: Node<InvestigateState, Partial<InvestigateState>>;
  compose: Node<ReviewState, Partial<ReviewState>>;
  critique: Node<ReviewState, Partial<ReviewState>>;
  deliver: Node<CaseState, Partial<CaseState>>;
  approve: Node<CaseState, Partial<CaseState>>;
  settle: Node<CaseState, Partial<CaseState>>;
};

export type GraphHost = {
  nodes: CaseNodes;
  runUnit: RunUnit;
  cases: Pick<Cases, "find">;
  approvals: Pick<Approvals, "latest">;
  /** The tools as a model is offered them. */
  specs: (applicant: Applicant) => Promise<ToolSpec[]>;
};

/** Opens the host on first call and returns the same one afterwards. */
export type HostSource = () => Promise<GraphHost>;
