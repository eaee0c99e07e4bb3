/** Owns running the product's own commands as child processes, the way a person would, and reading their `--json`. */
import { spawn } from "node:child_process";
import { z } from "zod";
import { AftersalesError } from "../domain/errors.js";

export type CommandRun = { code: number; value: Record<string, unknown> };
export type RunCommand = (profile: string, args: readonly string[]) => Promise<CommandRun>;

export type CommandRunnerSettings = {
  command: string;
  args: readonly string[];
  common: readonly string[];
  /** Gets each line that a command writes to stderr, as it comes. */
  said: (line: string) => void;
  signal: AbortSignal;
  env?: Record<string, string | undefined>;
};

export function createCommandRunner(deps: CommandRunnerSettings): RunCommand {
  return async (profile, args) => {
    const child = spawn(deps.command, [...deps.args, ...deps.common, "--json", "--profile", profile, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      signal: deps.signal,
      ...(deps.env === undefined ? {} : { env: deps.env }),
    });
    let printed = "";
    let pending = "";
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      const lines = (pending + chunk.toString("utf8")).split("\n");
      pending = lines.pop() ?? "";
      for (const line of lines) deps.said(line);
    });
    const code = await new Promise<number>((done, fail) => {
      child.on("error", fail);
      child.on("close", (exit) => done(exit ?? 1));
    });
    return { code, value: parsed(printed, args) };
  };
}

function parsed(printed: string, args: readonly string[]): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(printed));
  } catch (error) {
    throw new AftersalesError("demo_failed", { detail: `${args[0] ?? ""} printed no JSON object` }, { cause: error });
  }
}
