/** Owns the rules of the review: runs every check and words the verdict. */
import { type Check, readCandidate } from "./candidate.js";
import { CONDITION_CHECKS } from "./critique-conditions.js";
import { MONEY_CHECKS } from "./critique-money.js";
import { restsOnNothing, SOURCE_CHECKS } from "./critique-sources.js";
import { sayFor } from "./phrases.js";
import type { Fields } from "./untyped.js";

const CHECKS: readonly Check[] = [...SOURCE_CHECKS, ...CONDITION_CHECKS, ...MONEY_CHECKS];
/** The feedback is one or two sentences. */
const NAMED_DEFECTS = 2;

export function reviewCandidate(data: Fields): Record<string, unknown> {
  const candidate = readCandidate(data);
  const say = sayFor(/\p{Script=Han}/u.test(candidate.answer) ? "zh" : "en");
  if (restsOnNothing(candidate)) {
    return { verdict: "insufficient", feedback: say.feedback.nothing_to_rest_on("") };
  }
  const found = CHECKS.flatMap((check) => check(candidate)).map(({ defect, detail }) => say.feedback[defect](detail));
  const sentences = [...new Set(found)].slice(0, NAMED_DEFECTS);
  return { verdict: sentences.length === 0 ? "pass" : "revise", feedback: sentences.join(say.gap) };
}
