/**
 * Sets hostile and obedient models on the product and prints what came of it.
 * Usage: npm run adversary -- [--runs N] [--seed S]; the seed of a failed run repeats it.
 */
import { printCounts, readRuns, runCounted } from "./counted-tests.mjs";

const { runs, seed } = readRuns(1_000);
process.stdout.write(`${runs} hostile trajectories from seed ${seed}, and the injection matrix\n`);
runCounted({ prefix: "ADVERSARY", tests: "tests/adversary", runs, seed }, (name, counts) => {
  process.stdout.write(`\n${name}\n`);
  printCounts(counts);
});
