/** Owns giving each node exactly the ports it needs. */
import { randomUUID } from "node:crypto";
import type { Clock } from "../domain/clock.js";
import type {
  Approvals,
  Artifacts,
  Budget,
  Cases,
  ChatModels,
  Knowledge,
  Notes,
  Preferences,
  Procedures,
  SettlementFor,
  ToolSpec,
} from "../domain/ports.js";
import { createApprove } from "../nodes/approve.js";
import { createCompose } from "../nodes/compose.js";
import { createCritique } from "../nodes/critique.js";
import { createDeliver } from "../nodes/deliver.js";
import { createIntake } from "../nodes/intake.js";
import { createAct } from "../nodes/investigate-act.js";
import { createThink } from "../nodes/investigate-think.js";
import { createPlan } from "../nodes/plan.js";
import { createSettle } from "../nodes/settle.js";
import type { QuoteOrder } from "../tools/calculate-refund.js";
import { createDispatch } from "../tools/dispatch.js";
import { modelSpecs } from "../tools/model-specs.js";
import type { ToolRegistry } from "../tools/registry.js";
import type { CaseNodes } from "./graph-host.js";
import type { RegistryFor } from "./tools.js";

type Deps = {
  cases: Cases;
  approvals: Approvals;
  budget: Budget;
  preferences: Preferences;
  notes: Notes;
  artifacts: Artifacts;
  procedures: Procedures;
  knowledge: Knowledge;
  quoteOrder: QuoteOrder;
  registryFor: RegistryFor;
  settlementFor: SettlementFor;
  models: () => ChatModels;
  clock: Clock;
  nowMs: () => number;
  graphVersion: string;
};

export function createNodes(deps: Deps): CaseNodes {
  const { models, budget, nowMs, registryFor } = deps;
  // Only asked when a step needs a model: looking at a case or settling it must work without one.
  const lazyModels: ChatModels = {
    get label() {
      return models().label;
    },
    ask: (request, signal) => models().ask(request, signal),
  };
  const described = new WeakMap<ToolRegistry, ToolSpec[]>();
  const specsOf = (registry: ToolRegistry): ToolSpec[] => {
    const specs = described.get(registry) ?? modelSpecs(registry);
    described.set(registry, specs);
    return specs;
  };
  const ask = { models: lazyModels, budget, nowMs };
  const briefing = { ...deps, ask };
  return {
    intake: createIntake({ ...deps, modelLabel: () => models().label }),
    plan: createPlan({ ...deps, ask }),
    think: createThink({
      ...briefing,
      specs: async (applicant) => specsOf(await registryFor(applicant)),
    }),
    act: createAct({
      dispatch: createDispatch({ registryFor, budget, newId: () => `host_${randomUUID()}`, nowMs }),
    }),
    compose: createCompose(briefing),
    critique: createCritique(briefing),
    deliver: createDeliver(deps),
    approve: createApprove(deps),
    settle: createSettle(deps),
  };
}
