/**
 * Random days of a shop, with several people's commands at once and most of them broken somewhere; every case must come to its end and the books must agree.
 * Usage: npm run torture -- [--minutes N] [--seed S]; prints the seed and what it counted. A day is repeated with its own seed and --minutes 0.
 */
import { printCounts, readNumbers, runCounted } from "./counted-tests.mjs";

const numbers = readNumbers({ minutes: 15 });
process.stdout.write(`${numbers.minutes} minutes from seed ${numbers.seed}\n`);
runCounted({ prefix: "TORTURE", tests: "tests/faults/torture.test.ts", numbers }, (_name, counts) =>
  printCounts(counts.sort(([one], [other]) => one.localeCompare(other))),
);
