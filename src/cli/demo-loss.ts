/** Owns the demonstration's lost reply: a runner whose line to the commerce service breaks once, and the count of what went over it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { environmentWithCommerce } from "../graph/compose.js";
import { type CommandRunnerSettings, createCommandRunner, type RunCommand } from "./demo-runner.js";
import type { RunContext } from "./run-context.js";

export type Loss = {
  run: RunCommand;
  /** How often the host has asked for the payment. */
  attempts: () => number;
};

export function lossyRunner(config: RunContext["config"], runner: CommandRunnerSettings, stateDir: string): Loss {
  const { lossyLine, commerce } = config;
  const notes = join(stateDir, "line-notes");
  const args = [...lossyLine.args, notes, commerce.command, ...commerce.args];
  return {
    run: createCommandRunner({ ...runner, env: environmentWithCommerce({ command: lossyLine.command, args }) }),
    attempts: () => (existsSync(notes) ? readFileSync(notes, "utf8").split("asked").length - 1 : 0),
  };
}
