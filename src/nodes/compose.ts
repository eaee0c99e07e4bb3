/** Owns writing the answer: a model's text that code has checked, or a sentence of the host where no model should decide. */
import { checkAnswer } from "../domain/answer-guards.js";
import { parseAnswer } from "../domain/contracts.js";
import type { ErrorCode } from "../domain/errors.js";
import { hostAnswer } from "../domain/host-answers.js";
import { LIMITS } from "../domain/limits.js";
import { askModel } from "./ask-model.js";
import type { ReviewState } from "./case-state.js";
import { evidencePayload, readPassages } from "./context.js";
import { type BriefingDeps, briefing } from "./investigate-think.js";
import { COMPOSE_PROMPT } from "./prompts/compose.js";
import { systemText } from "./prompts/prompt.js";
import type { Node } from "./unit.js";

type Update = Partial<Pick<ReviewState, "candidate" | "answer" | "problem" | "feedback" | "rewrites">>;

export function createCompose(deps: BriefingDeps): Node<ReviewState, Update> {
  return async (state, unit) => {
    const settled = answeredByHost(state);
    if (settled !== null) return settled;
    const { brief, language, quote } = state;
    const applicant = unit.applicant();
    const texts = await readPassages(deps.knowledge, { tenant: applicant.tenant, language }, state.evidence);
    const base = { ...(await briefing(deps, state, unit.caseId, applicant)), feedback: state.feedback };
    const { payload, shownFacts, shownPassages } = evidencePayload(base, state.facts, state.evidence, texts);
    const request = {
      step: "compose" as const,
      system: systemText(COMPOSE_PROMPT),
      user: JSON.stringify(payload),
      turns: [],
      tools: [],
    };
    const parsed = parseAnswer((await askModel(deps.ask, request, unit)).text);
    const defect =
      !parsed.ok || brief === null
        ? {
            code: parsed.ok ? ("invalid_answer" as const) : parsed.code,
            feedback: "Reply with one JSON object in exactly the form asked for.",
          }
        : checkAnswer(parsed.value, {
            language,
            plan: brief,
            quote,
            facts: new Map(shownFacts.map(({ sourceId, data }) => [sourceId, data])),
            passages: new Map(shownPassages.map(({ id, body }) => [id, body])),
          });
    if (parsed.ok && defect === null) return { candidate: parsed.value, feedback: null };
    const code = defect?.code ?? "invalid_answer";
    unit.note({ phase: "compose", status: "answer_refused", code });
    return sendBack(state, defect?.feedback ?? "", code);
  };
}

/** A refused answer gets one rewrite; after that the case says honestly that nothing could be confirmed. */
export function sendBack(state: ReviewState, feedback: string, code: ErrorCode): Update {
  if (state.rewrites >= LIMITS.rewrites) {
    return { answer: hostAnswer("not_confirmed", state.language), candidate: null, problem: code };
  }
  return { candidate: null, feedback: feedback.slice(0, LIMITS.feedbackChars), rewrites: state.rewrites + 1 };
}

/** What was not readable decides the answer before any model does: absent and foreign orders must sound the same, unknown is not absent. */
function answeredByHost({ brief, facts, openPoints, language }: ReviewState): Update | null {
  const orderId = brief?.orderId;
  if (orderId === undefined || orderId === null) return null;
  const aboutOrder = openPoints.filter(({ source }) => source.endsWith(`:${orderId}`));
  const denied = aboutOrder.find(({ code }) => code === "order_not_accessible");
  if (denied !== undefined) return { answer: hostAnswer("order_not_accessible", language), problem: denied.code };
  // A service that broke has said as little about the order as one that was away.
  const unread = aboutOrder.find(({ category }) => category === "transient" || category === "internal");
  const known = facts.some(({ sourceId }) => sourceId === `get_order:${orderId}`);
  if (unread === undefined || known) return null;
  return { answer: hostAnswer("order_unreadable", language), problem: unread.code };
}
