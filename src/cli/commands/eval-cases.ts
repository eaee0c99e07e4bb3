/** `eval cases`: runs labelled customer questions through the whole product on a fresh state, and grades safe and right apart. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Question } from "../../domain/contracts.js";
import type { Identity } from "../../domain/identity.js";
import { CaseId, type Language } from "../../domain/ids.js";
import {
  createHost,
  type Host,
  identityOf,
  packageVersion,
  singleCaller,
  toAftersalesError,
} from "../../graph/compose.js";
import { initialise } from "../../graph/compose-state.js";
import { openSession, type Session } from "../../graph/session.js";
import { type Grade, gradeCase, kindOf, type Outcome } from "../case-grading.js";
import { caseView } from "../case-view.js";
import { type EvaluationRow, readEvaluationRows } from "../evaluation-rows.js";
import type { RunContext } from "../run-context.js";

type Desk = { identity: Identity; host: Host; session: Session };
type Result = { row: EvaluationRow; outcome: Outcome; grade: Grade };

export async function runEvalCases(context: RunContext, flags: { file: string; only?: string }): Promise<void> {
  const { output, config, clocks, dataDir } = context;
  context.requireModel();
  const rows = readEvaluationRows(flags.file).filter(({ id }) => flags.only === undefined || id === flags.only);
  const stateDir = mkdtempSync(join(tmpdir(), "aftersales-eval-"));
  const desks = new Map<string, Desk>();
  const results: Result[] = [];
  try {
    await initialise({ config, clocks, dataDir, stateDir });
    for (const row of rows) {
      const desk = desks.get(row.profile) ?? (await openDesk(context, stateDir, row.profile));
      desks.set(row.profile, desk);
      const outcome = await runRow(context, desk, row);
      const grade = gradeCase(row, outcome);
      results.push({ row, outcome, grade });
      output.say(
        `${row.id} ${outcome.view?.status ?? outcome.refusal} ${[...grade.unsafe.map((text) => `UNSAFE ${text}`), ...grade.wrong].join("; ") || "ok"}`,
      );
      if (context.signal.aborted) break;
    }
  } finally {
    for (const { host } of desks.values()) await host.close();
    rmSync(stateDir, { recursive: true, force: true });
  }
  report(context, results);
}

async function openDesk(context: RunContext, stateDir: string, profile: string): Promise<Desk> {
  const { config, clocks, dataDir } = context;
  const identity = identityOf(dataDir, profile);
  const host = createHost({
    config,
    clocks,
    dataDir,
    stateDir,
    models: context.models,
    callers: singleCaller(identity),
  });
  return { identity, host, session: await openSession(host, identity) };
}

/** Every row starts where nothing waits: a proposal is withdrawn again once it has been looked at. */
async function runRow(context: RunContext, desk: Desk, row: EvaluationRow): Promise<Outcome> {
  if (!Question.safeParse(row.question).success) return { view: null, factIds: [], refusal: "invalid_question" };
  const caseId = CaseId.parse(randomUUID());
  const options = { caller: desk.identity, signal: context.signal, settle: false };
  try {
    await desk.session.begin(caseId, { question: row.question, language: languageOf(row) }, options);
  } catch (error) {
    toAftersalesError(error);
  }
  const file = await desk.session.read(caseId);
  const view = caseView(file, { artifactsDir: "", nowMs: context.clocks.runtime.nowMs() });
  if (file.row.status === "waiting_approval" && view.digest !== undefined) {
    await desk.session.decide(
      caseId,
      { decision: "withdraw", digest: view.digest, by: desk.identity.user },
      desk.identity,
    );
    await desk.session.drive(caseId, options);
  }
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
