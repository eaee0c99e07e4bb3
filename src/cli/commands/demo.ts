/** `demo`: plays the refund story through the built commands, as a person would type them. */
import type { RunContext } from "../run-context.js";

export async function runDemo(context: RunContext): Promise<void> {
  context.output.say("not yet");
}
