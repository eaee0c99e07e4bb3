/**
 * Sets hostile and obedient models on the product and prints what came of it.
 * Usage: npm run adversary -- [--runs N] [--seed S]; the seed of a failed run repeats it.
 */
import { printCounts, readNumbers, runCounted } from "./counted-tests.mjs";

const numbers = readNumbers({ runs: 1_000 });
process.stdout.write(`${numbers.runs} hostile trajectories from seed ${numbers.seed}, and the injection matrix\n`);
runCounted({ prefix: "ADVERSARY", tests: "tests/adversary", numbers }, (name, counts) => {
  process.stdout.write(`\n${name}\n`);
  printCounts(counts);
});
