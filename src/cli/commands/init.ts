/** `init`: makes what is missing and replaces nothing. */
import { initialise } from "../../graph/compose-state.js";
import type { RunContext } from "../run-context.js";

export async function runInit(context: RunContext): Promise<void> {
  const { options, config, clocks, dataDir, output } = context;
  await initialise({ config, clocks, dataDir, stateDir: options.stateDir });
  if (options.json) output.json({ stateDir: options.stateDir, ready: true });
  else output.result(`State is ready in ${options.stateDir}. Existing cases, refunds and keys were left as they are.`);
}
