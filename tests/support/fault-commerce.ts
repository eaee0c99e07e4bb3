/** A commerce process that fails in one chosen way, and what passed between it and the host. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { readConfig } from "../../src/graph/compose.js";
import { ROOT, type Run, type Workspace } from "./workspace.js";

export type Scenario = {
  /** Whose replies it happens to. `execute_refund` unless told. */
  tool?: string;
  /** `die` kills the service after its commit and before its reply, `die-before` before it has seen the request. */
  fault?:
    | "none"
    | "die"
    | "die-before"
    | "kill-host"
    | "drop"
    | "late"
    | "twice"
    | "slow"
    | "garble"
    | "misshape"
    | "refuse"
    | "time-out"
    | "change";
  /** How many replies it happens to. One unless told. */
  times?: number;
  change?: Record<string, unknown>;
  delayMs?: number;
};

const Started = z.strictObject({
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  pid: z.int(),
});
const Line = z.strictObject({ from: z.enum(["host", "service"]), message: z.looseObject({}) });

export type FaultyCommerce = {
  command: { command: string; args: string[] };
  /** For a command that runs as its own process. */
  env: Record<string, string>;
  started: () => z.infer<typeof Started>[];
  wire: () => z.infer<typeof Line>[];
  /** How often the host asked for that tool, and how often the service answered. */
  asked: () => number;
  answered: () => number;
};

/** Its records are removed when the test ends. */
export function faultyCommerce(scenario: Scenario = {}): FaultyCommerce {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-wire-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const proxy = join(ROOT, "tests", "support", "fault-commerce-proxy.mjs");
  const command = { command: process.execPath, args: [proxy, JSON.stringify({ ...scenario, folder })] };
  const lines = (name: string): unknown[] => {
    const file = join(folder, name);
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  };
  return {
    command,
    env: { AFTERSALES_COMMERCE_COMMAND: JSON.stringify([command.command, ...command.args]) },
    started: () => z.array(Started).parse(lines("started")),
    wire: () => z.array(Line).parse(lines("wire")),
    asked: () => lines("asked").length,
    answered: () => lines("answered").length,
  };
}

/** `resume --json` in this process with this commerce process instead of the shipped one. */
export function resumeWith(
  workspace: Workspace,
  caseId: string,
  { command }: FaultyCommerce,
  flags: readonly string[] = [],
): Promise<Run> {
  return workspace.inProcess(["--json", "resume", caseId, ...flags], {
    config: { ...readConfig(), commerce: command },
  });
}
