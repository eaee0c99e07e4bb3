/** Owns one turn of asking: the model sees what is known and either asks for tools or says that it is done. */
import { LIMITS } from "../domain/limits.js";
import type { Applicant, Knowledge, Notes, Preferences, Procedures, ToolSpec } from "../domain/ports.js";
import { quoteToWire } from "../domain/refund-policy.js";
import { type AskDeps, askModel } from "./ask-model.js";
import type { InvestigateState, PendingCall } from "./case-state.js";
import { investigationContext, readPassages } from "./context.js";
import { INVESTIGATE_PROMPT } from "./prompts/investigate.js";
import { systemText } from "./prompts/prompt.js";
import type { Node } from "./unit.js";

export type BriefingDeps = {
  ask: AskDeps;
  knowledge: Knowledge;
  procedures: Procedures;
  preferences: Preferences;
  notes: Notes;
};
type Deps = BriefingDeps & { specs: (applicant: Applicant) => Promise<ToolSpec[]> };
type Update = Pick<InvestigateState, "pending" | "said" | "turns" | "finished">;

export function createThink(deps: Deps): Node<InvestigateState, Update> {
  return async (state, unit) => {
    const turnsLeft = LIMITS.investigationTurns - state.turns;
    const applicant = unit.applicant();
    const texts = await readPassages(
      deps.knowledge,
      { tenant: applicant.tenant, language: state.language },
      state.evidence,
    );
    const base = { ...(await briefing(deps, state, unit.caseId, applicant)), turns_left: turnsLeft };
    const context = investigationContext({
      base,
      transcript: state.transcript,
      facts: state.facts,
      refs: state.evidence,
      texts,
    });
    const request = {
      step: "investigate" as const,
      system: systemText(INVESTIGATE_PROMPT),
      user: JSON.stringify(context.payload),
      turns: context.turns,
      // The last turn offers nothing, so that a model that never stops still ends with what is known.
      tools: turnsLeft > 1 ? await deps.specs(applicant) : [],
    };
    const reply = await askModel(deps.ask, request, unit);
    const asksForTools = request.tools.length > 0 && reply.calls.length > 0;
    const pending: PendingCall[] = reply.calls.map(({ id, name, args, malformed }) => ({
      id: id ?? null,
      name: name.slice(0, LIMITS.toolNameChars),
      args: JSON.stringify(args ?? null).slice(0, LIMITS.toolArgumentsJsonChars + 1),
      malformed,
    }));
    return {
      pending: asksForTools ? pending : [],
      said: reply.text.slice(0, LIMITS.summaryChars),
      turns: state.turns + 1,
      finished: !asksForTools,
    };
  };
}

/** What every step after planning starts from. */
export async function briefing(
  { procedures, preferences, notes }: BriefingDeps,
  state: Pick<InvestigateState, "question" | "language" | "brief" | "quote" | "openPoints">,
  caseId: Parameters<Notes["list"]>[0],
  applicant: Applicant,
): Promise<Record<string, unknown>> {
  const { brief } = state;
  const skill = brief === null || brief.intent === "greeting" ? "policy" : brief.intent;
  const language = await preferences.language(applicant);
  return {
    question: state.question,
    language: state.language,
    plan: {
      intent: brief?.intent ?? "policy",
      order_id: brief?.orderId ?? null,
      action_requested: brief?.actionRequested ?? false,
      queries: brief?.queries ?? [],
      milestones: brief?.milestones ?? [],
    },
    procedure: procedures.load(skill, state.language),
    quote: state.quote === null ? null : quoteToWire(state.quote),
    preferences: language === null ? {} : { language },
    case_notes: await notes.list(caseId),
    open_points: state.openPoints,
  };
}
