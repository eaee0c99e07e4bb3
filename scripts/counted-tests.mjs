/** Runs tests that take a number of runs and a seed, and prints what they counted. Shared by the commands that play many random runs. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/** What `usual` names, and `--seed S`, from the command line; without a seed a random one. A value that is no whole number ends the process with 2. */
export function readNumbers(usual) {
  const numbers = { ...usual, seed: Math.floor(Math.random() * 2 ** 31) };
  const options = Object.fromEntries(Object.keys(numbers).map((name) => [name, { type: "string" }]));
  const { values } = parseArgs({ options });
  for (const [name, text] of Object.entries(values)) {
    numbers[name] = Number(text);
    if (Number.isSafeInteger(numbers[name]) && numbers[name] >= 0) continue;
    process.stderr.write(`--${name} must be a whole number\n`);
    process.exit(2);
  }
  return numbers;
}

/**
 * Runs `tests` with each of the numbers in a variable of its name (`PREFIX_SEED`) and a folder in `PREFIX_COUNTS`, into which they write one
 * JSON object of counts a file; gives each file's name (without ending) and its counts to `print`, and takes over the tests' exit code.
 */
export function runCounted({ prefix, tests, numbers }, print) {
  const folder = mkdtempSync(join(tmpdir(), `${prefix.toLowerCase()}-counts-`));
  try {
    const own = Object.entries({ ...numbers, counts: folder });
    const env = Object.fromEntries(own.map(([name, value]) => [`${prefix}_${name.toUpperCase()}`, String(value)]));
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
