/** `eval live`: seven cases for a human to review. Without `--run-live` it shows what would be sent and sends nothing. */
import { appendFileSync, closeSync, openSync } from "node:fs";
import { AftersalesError } from "../../domain/errors.js";
import { LIMITS } from "../../domain/limits.js";
import { chooseModel, packageVersion, toAftersalesError } from "../../graph/compose.js";
import { openDataDesk } from "../../graph/compose-data.js";
import { promptNames } from "../../graph/prompt-names.js";
import { type Asked, withEvaluationDesk } from "../evaluation-desk.js";
import { LIVE_CASES, LIVE_PROFILE, observe } from "../live-cases.js";
import { printable } from "../print.js";
import { RefusedResult } from "../refused-result.js";
import { countTrials, type Trial, type TrialReport } from "../repeated-trials.js";
import type { RunContext } from "../run-context.js";

type Flags = { runLive?: boolean; output?: string; trials: number };

/** Throws `output_exists` and `model_not_configured` before anything is sent, `RefusedResult` when a run did not reach an answer. */
export async function runEvalLive(context: RunContext, flags: Flags): Promise<void> {
  if (flags.runLive !== true) {
    preview(context, flags.trials);
    return;
  }
  if (flags.output === undefined) throw new AftersalesError("usage", { detail: "--run-live needs --output FILE" });
  if (context.options.model === "rehearsal")
    throw new AftersalesError("usage", { detail: "eval live asks the live model; for the other use eval cases" });
  const models = chooseModel(context.config, "live");
  const stamp = stampOf(context, models.label);
  const file = openNew(flags.output);
  try {
    const results = await runCases(
      context,
      flags.trials,
      () => models,
      (line) => appendFileSync(file, `${JSON.stringify({ ...line, ...stamp })}\n`),
    );
    report(context, countTrials(results, flags.trials), results.length, flags);
    const failed = results.filter(({ observations }) => observations?.has_an_answer !== true).length;
    const total = LIVE_CASES.length * flags.trials;
    const count = failed + total - results.length;
    if (count > 0)
      throw new RefusedResult(new AftersalesError("evaluation_incomplete", { count: `${count}`, total: `${total}` }));
  } finally {
    closeSync(file);
  }
}

function preview({ config, options, output }: RunContext, trials: number): void {
  const { live } = config;
  const runs = LIVE_CASES.length * trials;
  const shown = {
    sent: false,
    model: live.ok ? live.settings.model : null,
    endpoint: live.ok ? new URL(live.settings.baseUrl).host : null,
    profile: LIVE_PROFILE,
    trials,
    requestsAtMost: runs * LIMITS.modelRequestsPerCase,
    cases: LIVE_CASES.map(({ id, question, reviewFocus }) => ({ case: id, question, review_focus: reviewFocus })),
  };
  if (options.json) {
    output.json(shown);
    return;
  }
  output.result(
    [
      "Nothing was sent. With --run-live --output FILE these questions go to the live model, with the records and terms they need:",
      ...LIVE_CASES.map(({ id, question }) => `  ${id.padEnd(15)} ${question}`),
      `Model:    ${shown.model ?? "not configured; see aftersales doctor"}`,
      `Endpoint: ${shown.endpoint ?? "-"}`,
      `Requests: usually ${runs * 5} to ${runs * 8}, at most ${shown.requestsAtMost} (${LIVE_CASES.length} cases, ${trials} each)`,
    ].join("\n"),
  );
}

/** What a line has to say about where it comes from, so that two runs can be compared. */
function stampOf({ dataDir }: RunContext, model: string): Record<string, unknown> {
  return {
    model,
    program_version: packageVersion(),
    data_hash: openDataDesk(dataDir).hash(),
    prompt_versions: promptNames(),
  };
}

/** Opened before the first request: answers that cost money must have a place to go. */
function openNew(file: string): number {
  try {
    return openSync(file, "wx", 0o600);
  } catch (error) {
    throw new AftersalesError("output_exists", { file }, { cause: error });
  }
}

type Line = Record<string, unknown>;

async function runCases(
  context: RunContext,
  trials: number,
  models: () => ReturnType<typeof chooseModel>,
  write: (line: Line) => void,
): Promise<Trial[]> {
  const results: Trial[] = [];
  const runs = LIVE_CASES.flatMap((reviewCase) =>
    Array.from({ length: trials }, (_nothing, index) => ({ reviewCase, trial: index + 1 })),
  );
  await withEvaluationDesk(context, models, async (ask) => {
    for (const { reviewCase, trial } of runs) {
      if (context.signal.aborted) break;
      const { id, question, reviewFocus } = reviewCase;
      const head = { case: id, trial, question };
      const tail = { review_focus: reviewFocus, human_review: "PENDING" };
      try {
        const asked = await ask({ profile: LIVE_PROFILE, question, language: "zh" });
        const observations = observe(reviewCase, asked);
        write({ ...head, ...lineOf(asked), observations, ...tail });
        results.push({ caseId: id, observations });
        context.output.say(`${id} ${trial}: ${asked.view.status}${missedIn(observations)}`);
      } catch (error) {
        const { code, category } = toAftersalesError(error);
        write({ ...head, status: "error", error: { code, category }, observations: null, ...tail });
        results.push({ caseId: id, observations: null });
        context.output.say(`${id} ${trial}: ${code}`);
      }
    }
  });
  return results;
}

function lineOf({ caseId, view }: Asked): Line {
  return {
    run_id: caseId,
    status: view.status,
    answer: view.answer?.answer ?? null,
    next_action: view.answer?.nextAction ?? null,
    citations: view.answer?.citations ?? [],
    budget: view.budget,
    error: view.error === undefined ? null : { code: view.error.code, category: view.error.category },
  };
}

function missedIn(observations: Record<string, boolean>): string {
  const missed = Object.keys(observations).filter((name) => observations[name] !== true);
  return missed.length === 0 ? "" : `, not observed: ${missed.join(", ")}`;
}

function report(
  { options, output }: RunContext,
  counted: TrialReport,
  lines: number,
  { output: file = "" }: Flags,
): void {
  if (options.json) {
    output.json({ sent: true, output: file, lines, humanReview: "PENDING", ...counted });
    return;
  }
  output.result(
    [
      ...counted.cases.map(
        ({ case: id, passed, trials, missed }) =>
          `${id.padEnd(15)} ${passed} of ${trials}${missed.length === 0 ? "" : `; not observed: ${missed.join(", ")}`}`,
      ),
      `pass^${counted.trials} of the automatic observations: ${counted.passPowerK.toFixed(2)}`,
      `${lines} lines in ${printable(file)}. A human still has to read them: human_review is PENDING.`,
    ].join("\n"),
  );
}
