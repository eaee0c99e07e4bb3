/** Runs tests that take a number of runs and a seed, and prints what they counted. Shared by the commands that play many random runs. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** `--runs N` and `--seed S` of the command line; without a seed a random one. A value that is no whole number ends the process with 2. */
export function readRuns(usualRuns) {
  const { values } = parseArgs({ options: { runs: { type: "string" }, seed: { type: "string" } } });
  const number = (name, otherwise) => {
    const value = values[name] === undefined ? otherwise : Number(values[name]);
    if (Number.isSafeInteger(value) && value >= 0) return value;
    process.stderr.write(`--${name} must be a whole number\n`);
    process.exit(2);
  };
  return { runs: number("runs", usualRuns), seed: number("seed", Math.floor(Math.random() * 2 ** 31)) };
}

/**
 * Runs `tests` with `PREFIX_RUNS`, `PREFIX_SEED` and a folder in `PREFIX_COUNTS`, into which they write one JSON object of counts a file;
 * gives each file's name (without ending) and its counts to `print`, and takes over the tests' exit code.
 */
export function runCounted({ prefix, tests, runs, seed }, print) {
  const folder = mkdtempSync(join(tmpdir(), `${prefix.toLowerCase()}-counts-`));
  try {
    const own = { RUNS: String(runs), SEED: String(seed), COUNTS: folder };
    const env = Object.fromEntries(Object.entries(own).map(([name, value]) => [`${prefix}_${name}`, value]));
    const vitest = join("node_modules", "vitest", "vitest.mjs");
    const { status } = spawnSync(process.execPath, [vitest, "run", tests, "--reporter=dot"], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "inherit", "inherit"],
    });
    for (const file of readdirSync(folder).sort()) {
      print(file.replace(".json", ""), Object.entries(JSON.parse(readFileSync(join(folder, file), "utf8"))));
    }
    process.exitCode = status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function printCounts(counts) {
  for (const [name, count] of counts) process.stdout.write(`  ${String(count).padStart(7)}  ${name}\n`);
}
