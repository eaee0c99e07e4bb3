/** Owns opening a case: the only writer of identity, question, language and graph version. New input on a known case changes nothing. */
import type { Clock } from "../domain/clock.js";
import { toInstant } from "../domain/clock.js";
import { Question } from "../domain/contracts.js";
import { AftersalesError } from "../domain/errors.js";
import { Language } from "../domain/ids.js";
import type { Cases, Preferences } from "../domain/ports.js";
import type { CaseState } from "./case-state.js";
import type { Node } from "./unit.js";

type Deps = { cases: Cases; preferences: Preferences; clock: Clock; graphVersion: string; modelLabel: () => string };
type Update = Pick<CaseState, "question" | "language" | "graphVersion">;

/** Throws `customer_role_required`, `invalid_question`, `invalid_language`. */
export function createIntake({ cases, preferences, clock, graphVersion, modelLabel }: Deps): Node<CaseState, Update> {
  return async (state, { caseId, caller }) => {
    const known = await cases.find(caseId);
    if (known !== null) {
      return { question: known.question, language: known.language, graphVersion: known.graphVersion };
    }
    if (caller.role !== "customer") throw new AftersalesError("customer_role_required");
    const question = Question.safeParse(state.question);
    if (!question.success) throw new AftersalesError("invalid_question");
    const wanted: unknown = state.language ?? (await preferences.language(caller)) ?? "zh";
    const language = Language.safeParse(wanted);
    if (!language.success) throw new AftersalesError("invalid_language");
    const now = toInstant(clock.nowMs());
    await cases.open({
      caseId,
      tenant: caller.tenant,
      applicant: caller.user,
      question: question.data,
      language: language.data,
      model: modelLabel(),
      graphVersion,
      status: "running",
      phase: "plan",
      orderId: null,
      answer: null,
      quote: null,
      evidence: null,
      liveProposal: null,
      artifact: null,
      errorCode: null,
      createdAt: now,
      updatedAt: now,
    });
    return { question: question.data, language: language.data, graphVersion };
  };
}
