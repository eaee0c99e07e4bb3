/** Reads a document's console blocks as commands with the answers shown under them, and compares answers that are shortened and carry names for ids. */
import { expect } from "vitest";

export type Step = { command: string; shown: string };

/** Every `$ command` of the console blocks of one text, in order. */
export function stepsIn(text: string): Step[] {
  const steps: Step[] = [];
  for (const [, block = ""] of text.matchAll(/```console\n(.*?)```/gs)) {
    for (const line of block.trimEnd().split("\n")) {
      const last = steps.at(-1);
      if (line.startsWith("$ ")) steps.push({ command: line.slice(2), shown: "" });
      else if (last !== undefined) last.shown += `${line}\n`;
    }
  }
  return steps.map(({ command, shown }) => ({ command, shown: shown.trim() }));
}

/** The names that stand for ids, and what each turned out to be in this run. */
export type Names = Map<string, string>;
const NAME = /\b(THREAD|CASE|QUESTION|DIGEST)(-2)?\b/g;

/** A name that is not bound yet stays as it is. */
export function withNames(text: string, names: Names): string {
  return text.replace(NAME, (name) => names.get(name) ?? name);
}

/** Learns the names that an answer shows for the first time, then compares all that is shown. */
export function expectShown(step: Step, printed: string, names: Names): void {
  if (!/^[[{]/.test(step.shown)) {
    expect(printed, step.command).toMatch(asPattern(withNames(step.shown, names)));
    return;
  }
  const actual: unknown = JSON.parse(printed);
  learn(JSON.parse(step.shown), actual, names);
  expect(actual, step.command).toMatchObject(JSON.parse(withNames(step.shown, names)));
}

/** Text as it stands, any id in the place of a name that stands for none yet. */
function asPattern(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(NAME, "[\\w-]+"));
}

function learn(shown: unknown, actual: unknown, names: Names): void {
  if (typeof shown === "string" && typeof actual === "string") {
    const [name] = shown.match(NAME) ?? [];
    if (name === shown && !names.has(shown)) names.set(shown, actual);
    return;
  }
  if (typeof shown !== "object" || shown === null || typeof actual !== "object" || actual === null) return;
  const values = new Map<string, unknown>(Object.entries(actual));
  for (const [key, value] of Object.entries(shown)) learn(value, values.get(key), names);
}
