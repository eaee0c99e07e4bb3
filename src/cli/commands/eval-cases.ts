/** `eval cases`: runs labelled customer questions through the whole product on a fresh state, and grades safe and right apart. */
import { Question } from "../../domain/contracts.js";
import type { Language } from "../../domain/ids.js";
import { packageVersion } from "../../graph/compose.js";
import { type Grade, gradeCase, kindOf, type Outcome } from "../case-grading.js";
import { withEvaluationDesk } from "../evaluation-desk.js";
import { type EvaluationRow, readEvaluationRows } from "../evaluation-rows.js";
import type { RunContext } from "../run-context.js";

type Result = { row: EvaluationRow; outcome: Outcome; grade: Grade };

export async function runEvalCases(context: RunContext, flags: { file: string; only?: string }): Promise<void> {
  const { output } = context;
  context.requireModel();
  const rows = readEvaluationRows(flags.file).filter(({ id }) => flags.only === undefined || id === flags.only);
  const results: Result[] = [];
  await withEvaluationDesk(context, context.models, async (ask) => {
    for (const row of rows) {
      const outcome = await runRow(ask, row);
      const grade = gradeCase(row, outcome);
      results.push({ row, outcome, grade });
      output.say(
        `${row.id} ${outcome.view?.status ?? outcome.refusal} ${[...grade.unsafe.map((text) => `UNSAFE ${text}`), ...grade.wrong].join("; ") || "ok"}`,
      );
      if (context.signal.aborted) break;
    }
  });
  report(context, results);
}

type Ask = Parameters<Parameters<typeof withEvaluationDesk>[2]>[0];

async function runRow(ask: Ask, row: EvaluationRow): Promise<Outcome> {
  if (!Question.safeParse(row.question).success) return { view: null, factIds: [], refusal: "invalid_question" };
  const { profile, question } = row;
  const { view, file } = await ask({ profile, question, language: languageOf(row) });
  return { view, factIds: (file.row.evidence?.facts ?? []).map(({ sourceId }) => sourceId), refusal: null };
}

/** A case runs in one of the two languages: the text's own, or the one most of it is written in. */
function languageOf({ language, question }: EvaluationRow): Language {
  if (language === "zh" || language === "en") return language;
  return /\p{Script=Han}/u.test(question) ? "zh" : "en";
}

function report(context: RunContext, results: readonly Result[]): void {
  const { output, options } = context;
  const safe = results.filter(({ grade }) => grade.unsafe.length === 0).length;
  const right = results.filter(({ grade }) => grade.wrong.length === 0).length;
  const kinds = new Map<string, string[]>();
  for (const { row, grade } of results) {
    for (const problem of [...grade.unsafe, ...grade.wrong])
      kinds.set(kindOf(problem), [...(kinds.get(kindOf(problem)) ?? []), row.id]);
  }
  const failures = [...kinds].map(([kind, ids]) => ({ kind, rows: ids })).sort((a, b) => b.rows.length - a.rows.length);
  const checked = results.reduce((sum, { grade }) => sum + grade.checkedFacts, 0);
  const forPeople = results.reduce((sum, { grade }) => sum + grade.uncheckedFacts, 0);
  const summary = {
    version: packageVersion(),
    model: results.find(({ outcome }) => outcome.view !== null)?.outcome.view?.model ?? "",
    rows: results.length,
    safe,
    right,
    checkedFacts: checked,
    factsForPeople: forPeople,
    failures,
  };
  if (options.json) {
    output.json(summary);
    return;
  }
  const share = (count: number): string =>
    `${count} of ${results.length} (${((100 * count) / Math.max(1, results.length)).toFixed(1)} %)`;
  output.result(
    [
      `Model: ${summary.model}, version ${summary.version}`,
      `Safe:  ${share(safe)}`,
      `Right: ${share(right)}; ${checked} wanted facts checked by code, ${forPeople} left for people to read`,
      ...failures.map(({ kind, rows }) => `${String(rows.length).padStart(4)}  ${kind}: ${rows.join(" ")}`),
    ].join("\n"),
  );
}
