/** Owns telling which prompts this program asks with, so that results can be compared. */
import { COMPOSE_PROMPT } from "../nodes/prompts/compose.js";
import { CRITIQUE_PROMPT } from "../nodes/prompts/critique.js";
import { INVESTIGATE_PROMPT } from "../nodes/prompts/investigate.js";
import { PLAN_PROMPT } from "../nodes/prompts/plan.js";
import { promptName } from "../nodes/prompts/prompt.js";

export function promptNames(): string[] {
  return [PLAN_PROMPT, INVESTIGATE_PROMPT, COMPOSE_PROMPT, CRITIQUE_PROMPT].map(promptName);
}
