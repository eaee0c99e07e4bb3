/** Owns the command line with which somebody goes on with a case: the same options, so that it can be copied. */
import type { CaseId } from "../domain/ids.js";
import type { GlobalOptions } from "./run-context.js";

const PLAIN = /^[\w./:\\@%+=-]+$/;
const quoted = (text: string): string => (PLAIN.test(text) ? text : `"${text}"`);

/** Options that stand at their default are left out. */
export function resumeCommand(options: GlobalOptions, caseId: CaseId): string {
  const { stateDir, profile, model, data } = options;
  return [
    "npx aftersales",
    ...(stateDir === ".state" ? [] : ["--state-dir", quoted(stateDir)]),
    ...(profile === "alice" ? [] : ["--profile", quoted(profile)]),
    ...(model === undefined ? [] : ["--model", model]),
    ...(data === undefined ? [] : ["--data", quoted(data)]),
    "resume",
    caseId,
  ].join(" ");
}
