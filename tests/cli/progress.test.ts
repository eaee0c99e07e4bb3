import { afterEach, expect, it, vi } from "vitest";
import { createOutput } from "../../src/cli/print.js";
import { createProgress } from "../../src/cli/progress.js";
import { createWorkspace } from "../support/workspace.js";

afterEach(() => {
  vi.useRealTimers();
});

function listen(terminal: boolean, columns = 80) {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text), isTTY: terminal, columns };
  let nowMs = 0;
  const output = createOutput(stream, stream);
  const progress = createProgress({ output, language: () => "en", nowMs: () => nowMs });
  const pass = (ms: number): void => {
    nowMs += ms;
    vi.advanceTimersByTime(ms);
  };
  return { written, output, progress, pass };
}

it("a case shows its phases, turns and tools with the seconds since the command began, one plain line each", async () => {
  const run = await createWorkspace().inProcess(["ask", "Please refund QH-1001.", "--language", "en"]);
  const steps = run.stderr.split("\n").map((line) => line.replace(/^ *\d+\.\ds {2}/, ""));
  expect(steps).toEqual(
    expect.arrayContaining([
      "Understanding the question",
      "Reading records and terms",
      "  Turn 1",
      "  get_order: ok",
      "  calculate_refund: ok",
      "Writing and checking the answer",
      "Waiting for a reviewer",
    ]),
  );
  expect(run.stderr).not.toContain("\u001B");
  expect(run.stderr).not.toContain("\r");
});

it("on a terminal a last line says what goes on right now and counts the seconds", () => {
  vi.useFakeTimers();
  const { written, progress, pass } = listen(true);
  progress.hear({ phase: "plan", status: "started" });
  progress.hear({ phase: "investigate", status: "started" });
  progress.hear({ phase: "investigate", status: "model_replied" });
  pass(1_000);
  pass(1_000);
  expect(written.at(-1)).toBe("\r\u001B[K  2.0s  Reading records and terms, Turn 1 …");
  const before = written.length;
  progress.hear({ phase: "investigate", status: "ok", tool: "get_order" });
  expect(written.slice(before, before + 2)).toEqual(["\r\u001B[K", "  2.0s    get_order: ok\n"]);
  progress.end();
  expect(written.at(-1)).toBe("\r\u001B[K");
  const ended = written.length;
  pass(5_000);
  expect(written).toHaveLength(ended);
  expect(vi.getTimerCount()).toBe(0);
});

it("a result takes the place of the last line, and a line never grows beyond the terminal", () => {
  vi.useFakeTimers();
  const { written, output, progress } = listen(true, 20);
  progress.hear({ phase: "review", status: "started" });
  expect(written.at(-1)).toBe("\r\u001B[K  0.0s  Writing and");
  output.result("done");
  expect(written.slice(-2)).toEqual(["\r\u001B[K", "done\n"]);
  progress.end();
});

it("elsewhere nothing moves: no last line, no control characters, no timer", () => {
  vi.useFakeTimers();
  const { written, progress, pass } = listen(false);
  progress.hear({ phase: "plan", status: "started" });
  pass(10_000);
  progress.end();
  expect(written).toEqual(["  0.0s  Understanding the question\n"]);
  expect(vi.getTimerCount()).toBe(0);
});
