/**
 * Owns what is shown while a command works: one plain line per step, with the seconds since the command began. On a terminal one more line
 * says what goes on right now and for how long, because a model may take its time.
 */
import type { Language } from "../domain/ids.js";
import type { Progress } from "../domain/ports.js";
import { CASE_WORDS } from "./case-words.js";
import { type Output, printable } from "./print.js";

const TICK_MS = 1_000;

export type ShownProgress = {
  hear: Progress;
  /** Takes the last line away. Nothing is shown afterwards until the next step. */
  end(): void;
};

export function createProgress(deps: { output: Output; language: () => Language; nowMs: () => number }): ShownProgress {
  const { output, language, nowMs } = deps;
  const beganMs = nowMs();
  let now = "";
  let turns = 0;
  let timer: NodeJS.Timeout | undefined;

  const elapsed = (): string => `${((nowMs() - beganMs) / 1000).toFixed(1)}s`.padStart(6);
  const show = (): void => output.live?.(`${elapsed()}  ${now} …`);

  function lineFor({ phase, status, tool, code }: Parameters<Progress>[0]): string | undefined {
    const words = CASE_WORDS[language()];
    if (status === "started") {
      now = words.phases[phase] ?? phase;
      return `  ${now}`;
    }
    if (phase === "investigate" && status === "model_replied") {
      turns += 1;
      const turn = words.turn.replace("{n}", String(turns));
      now = `${words.phases[phase] ?? phase}, ${turn}`;
      return `    ${turn}`;
    }
    if (tool !== undefined) return `    ${printable(tool)}: ${code ?? status}`;
    return code === undefined ? undefined : `    ${status}: ${code}`;
  }

  return {
    hear(event) {
      const line = lineFor(event);
      if (line !== undefined) output.say(`${elapsed()}${line}`);
      if (output.live === undefined) return;
      timer ??= setInterval(show, TICK_MS).unref();
      show();
    },
    end() {
      clearInterval(timer);
      timer = undefined;
      output.live?.("");
    },
  };
}
