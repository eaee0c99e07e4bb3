/**
 * Leads cases through random lives, kills, lost replies and edited rows included, beside a reference of plain rules, and prints what came of it.
 * Usage: npm run lifecycle -- [--runs N] [--seed S]; the seed of a failed run repeats it.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { runs: { type: "string" }, seed: { type: "string" } } });
const runs = number("runs", 200);
const seed = number("seed", Math.floor(Math.random() * 2 ** 31));
const folder = mkdtempSync(join(tmpdir(), "lifecycle-counts-"));

try {
  process.stdout.write(`${runs} lives from seed ${seed}\n`);
  const env = { ...process.env, LIFECYCLE_RUNS: String(runs), LIFECYCLE_SEED: String(seed), LIFECYCLE_COUNTS: folder };
  const vitest = join("node_modules", "vitest", "vitest.mjs");
  const { status } = spawnSync(process.execPath, [vitest, "run", "tests/graph/lifecycle.test.ts", "--reporter=dot"], {
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  for (const file of readdirSync(folder)) {
    const counts = Object.entries(JSON.parse(readFileSync(join(folder, file), "utf8")));
    for (const [name, count] of counts.sort(([one], [other]) => one.localeCompare(other))) {
      process.stdout.write(`  ${String(count).padStart(7)}  ${name}\n`);
    }
  }
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function number(name, otherwise) {
  const value = values[name] === undefined ? otherwise : Number(values[name]);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  process.stderr.write(`--${name} must be a whole number\n`);
  process.exit(2);
}
