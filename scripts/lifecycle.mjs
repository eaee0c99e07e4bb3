/**
 * Leads cases through random lives, kills, lost replies and edited rows included, beside a reference of plain rules, and prints what came of it.
 * Usage: npm run lifecycle -- [--runs N] [--seed S]; the seed of a failed run repeats it.
 */
import { printCounts, readNumbers, runCounted } from "./counted-tests.mjs";

const numbers = readNumbers({ runs: 200 });
process.stdout.write(`${numbers.runs} lives from seed ${numbers.seed}\n`);
runCounted({ prefix: "LIFECYCLE", tests: "tests/graph/lifecycle.test.ts", numbers }, (_name, counts) =>
  printCounts(counts.sort(([one], [other]) => one.localeCompare(other))),
);
