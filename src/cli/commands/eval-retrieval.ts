/** `eval retrieval`: measures the search with the labelled questions of the data directory. Needs no state and no model. */
import { packageVersion } from "../../graph/compose.js";
import { openDataDesk } from "../../graph/compose-data.js";
import { evaluateRetrieval, type RetrievalEvaluation, type Stamp } from "../retrieval-evaluation.js";
import type { RunContext } from "../run-context.js";

export async function runEvalRetrieval(context: RunContext): Promise<void> {
  const { clocks, dataDir, options, output } = context;
  const desk = openDataDesk(dataDir);
  const stamp: Stamp = {
    version: packageVersion(),
    dataHash: desk.hash(),
    date: new Date(clocks.runtime.nowMs()).toISOString(),
  };
  const result = await evaluateRetrieval(desk.knowledge(), context.identity().tenant, desk.questions(), stamp);
  if (options.json) output.json(result);
  else output.result(textOf(result));
}

function textOf({ version, dataHash, date, ...result }: RetrievalEvaluation): string {
  const stamp = `  [${version}, data ${dataHash.slice(0, 12)}, ${date}]`;
  const questions = result.questions.map(
    (entry) =>
      `${entry.id.padEnd(44)} recall@4 ${number(entry.recallAt4)} rr ${number(entry.reciprocalRank)} ${entry.covered ? "covered  " : "uncovered"} ${entry.ranked.join(" ")}`,
  );
  const unanswerable = result.unanswerable.map(
    (entry) => `${entry.id.padEnd(44)} unanswerable, ${entry.covered ? "COVERED" : "uncovered"}`,
  );
  const nearCopies = result.nearCopies.map(
    (entry) =>
      `near copy ${entry.id.padEnd(34)} recall@4 ${number(entry.recallAt4)} rr ${number(entry.reciprocalRank)} ${entry.ranked.join(" ")}`,
  );
  const pages = result.pages.map(
    (entry) =>
      `${entry.page} ${entry.language}`.padEnd(45) +
      `recall@4 ${number(entry.recallAt4)} mrr@4 ${number(entry.mrrAt4)} of ${entry.questions}`,
  );
  const means = result.means.map(
    (entry) =>
      `${entry.language} ${entry.split}`.padEnd(45) +
      `recall@4 ${number(entry.recallAt4)} mrr@4 ${number(entry.mrrAt4)} of ${entry.questions}, ` +
      `abstention ${number(entry.abstention)} of ${entry.unanswerable}, false abstention ${number(entry.falseAbstention)}`,
  );
  return [...questions, ...unanswerable, ...nearCopies, ...pages, ...means].map((line) => line + stamp).join("\n");
}

function number(value: number | null): string {
  return value === null ? "-    " : value.toFixed(3);
}
