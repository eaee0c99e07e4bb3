/**
 * Leads cases through random lives, kills, lost replies and edited rows included, beside a reference of plain rules, and prints what came of it.
 * Usage: npm run lifecycle -- [--runs N] [--seed S]; the seed of a failed run repeats it.
 */
import { printCounts, readRuns, runCounted } from "./counted-tests.mjs";

const { runs, seed } = readRuns(200);
process.stdout.write(`${runs} lives from seed ${seed}\n`);
runCounted({ prefix: "LIFECYCLE", tests: "tests/graph/lifecycle.test.ts", runs, seed }, (_name, counts) =>
  printCounts(counts.sort(([one], [other]) => one.localeCompare(other))),
);
