/** Owns the form of an answer while it is being written, and the last touch that makes it keep its contract. */
import type { CaseView } from "./case-view.js";
import { sayFor } from "./phrases.js";

export type Draft = {
  sentences: readonly string[];
  citations: readonly string[];
  nextAction: "answer" | "request_refund" | "needs_input";
};

const ANSWER_CHARS = 6_500;
const CITATIONS = 16;

export function needsInput(sentence: string): Draft {
  return { sentences: [sentence], citations: [], nextAction: "needs_input" };
}

/** Keeps citations to what was shown, each once. An answer that is left without any asks instead of stating. */
export function finishDraft(draft: Draft, view: CaseView): Record<string, unknown> {
  const say = sayFor(view.language);
  const shown = new Set([...view.facts.keys(), ...view.evidence.map(({ id }) => id)]);
  const citations = [...new Set(draft.citations)].filter((id) => shown.has(id)).slice(0, CITATIONS);
  const unsupported = citations.length === 0 && draft.nextAction !== "needs_input" && view.plan.intent !== "greeting";
  const { sentences, nextAction } = unsupported ? needsInput(say.unreadable) : draft;
  return { answer: sentences.join(say.gap).slice(0, ANSWER_CHARS), citations, next_action: nextAction };
}

/** A free text of a record, short enough for a sentence. */
export function brief(text: string): string {
  return text.slice(0, 80);
}
