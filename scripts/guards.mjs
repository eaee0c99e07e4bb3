/**
 * Takes the guards of tests/guards/patches.mjs out of a temporary copy, one at a time, and prints which test notices. A guard that
 * nothing notices is no guard: the program then ends with 1. Usage: npm run guards -- [--only WORDS]
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { PATCHES } from "../tests/guards/patches.mjs";

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
const chosen = PATCHES.filter(({ name }) => name.includes(values.only));
const root = resolve(import.meta.dirname, "..");
const copy = mkdtempSync(join(tmpdir(), "aftersales-guards-"));
const LEFT_OUT = new Set(["node_modules", ".git", ".state", ".langgraph_api"]);
let failures = 0;

try {
  cpSync(root, copy, { recursive: true, filter: (source) => !LEFT_OUT.has(basename(source)) });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const tests = [...new Set(chosen.flatMap((patch) => patch.tests))];
  const clean = failedTests(tests);
  if (clean.length > 0) {
    say(`the tests fail without any patch: ${clean[0]}`);
    failures += 1;
  } else for (const patch of chosen) tryPatch(patch);
  say(`${chosen.length} guards, ${failures} not noticed`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

function tryPatch({ name, file, take, put, tests }) {
  const path = join(copy, file);
  const text = readFileSync(path, "utf8");
  const places = text.split(take).length - 1;
  if (places !== 1) return survived(name, `the patch fits ${places} places in ${file}`);
  writeFileSync(
    path,
    text.replace(take, () => put),
  );
  const [first, ...more] = failedTests(tests);
  writeFileSync(path, text);
  if (first === undefined) return survived(name, `no test of ${tests.join(", ")} fails without it`);
  say(`ok    ${name}\n      ${first}${more.length === 0 ? "" : ` (and ${more.length} more)`}`);
}

function survived(name, why) {
  failures += 1;
  say(`ALIVE ${name}\n      ${why}`);
}

/** The names of the tests that fail in the copy. Sources that were changed are built again by the tests' own set-up. */
function failedTests(tests) {
  const report = join(copy, "guards-report.json");
  rmSync(report, { force: true });
  const vitest = join(copy, "node_modules", "vitest", "vitest.mjs");
  const run = spawnSync(process.execPath, [vitest, "run", ...tests, "--reporter=json", `--outputFile=${report}`], {
    cwd: copy,
    encoding: "utf8",
    env: { ...process.env, ADVERSARY_RUNS: "40" },
  });
  let files = [];
  try {
    files = JSON.parse(readFileSync(report, "utf8")).testResults;
  } catch {
    throw new Error(`the tests did not run: ${run.stderr.slice(0, 2_000)}`);
  }
  return files.flatMap(({ assertionResults, status, name, message }) => {
    const failed = assertionResults.filter((test) => test.status === "failed").map(({ fullName }) => fullName.trim());
    const broken = status === "failed" && assertionResults.length === 0;
    if (broken) throw new Error(`${name} did not load: ${message.slice(0, 500)}`);
    return failed;
  });
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
