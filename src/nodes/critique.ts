/** Owns the second look: an independent request that sees question, facts, evidence and candidate, and nothing that could act. */
import { parseReview } from "../domain/contracts.js";
import { hostAnswer } from "../domain/host-answers.js";
import { askForContract } from "./ask-model.js";
import type { ReviewState } from "./case-state.js";
import { sendBack } from "./compose.js";
import { evidencePayload, readPassages } from "./context.js";
import type { BriefingDeps } from "./investigate-think.js";
import { CRITIQUE_PROMPT } from "./prompts/critique.js";
import { systemText } from "./prompts/prompt.js";
import type { Node } from "./unit.js";

type Update = Partial<Pick<ReviewState, "candidate" | "answer" | "problem" | "feedback" | "rewrites">>;

/** A review that breaks its contract twice never counts as a pass: the case ends by asking for a human. */
export function createCritique(deps: BriefingDeps): Node<ReviewState, Update> {
  return async (state, unit) => {
    const { candidate, language } = state;
    if (candidate === null) return sendBack(state, "", "invalid_answer");
    const { tenant } = unit.applicant();
    const texts = await readPassages(deps.knowledge, { tenant, language }, state.evidence);
    const base = {
      question: state.question,
      candidate: { answer: candidate.answer, citations: candidate.citations, next_action: candidate.nextAction },
    };
    const request = {
      step: "critique" as const,
      system: systemText(CRITIQUE_PROMPT),
      user: JSON.stringify(evidencePayload(base, state.facts, state.evidence, texts).payload),
      turns: [],
      tools: [],
    };
    const review = await askForContract(deps.ask, request, parseReview, unit);
    if (!review.ok) return { answer: hostAnswer("not_confirmed", language), candidate: null, problem: review.code };
    unit.note({ phase: "critique", status: review.value.verdict });
    if (review.value.verdict === "pass") return { answer: candidate };
    return sendBack(state, review.value.feedback, "invalid_answer");
  };
}
