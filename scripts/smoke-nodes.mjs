/**
 * Installs the package into empty folders and plays the demonstration there, on this Node and on newer ones: what a user does first.
 * Usage: npm run smoke -- [20] [22] [24]. A Node that cannot be had is skipped, and the last line says so.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const own = process.versions.node.split(".")[0];
const asked = process.argv.slice(2);
const majors = asked.length > 0 ? asked : [own, ...["22", "24"].filter((major) => major !== own)];
/** The newest that still runs on Node 20 has to be compiled; this one brings its own builds for newer Nodes. */
const PREBUILT_SQLITE = "13.2.0";
const MODULE = join("node_modules", "better-sqlite3");
const NATIVE = join(MODULE, "build", "Release", "better_sqlite3.node");

const place = mkdtempSync(join(tmpdir(), "aftersales-smoke-"));
const outcomes = [];
try {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", place], root));
  for (const major of majors) outcomes.push(`Node ${major}: ${smoke(major, join(place, packed.filename))}`);
} finally {
  rmSync(place, { recursive: true, force: true });
}
process.stdout.write(`${outcomes.join("\n")}\n`);

function smoke(major, tarball) {
  const node = major === own ? process.execPath : nodeOf(major);
  if (node === null) return "SKIPPED, it cannot be had here";
  const folder = join(place, `node-${major}`);
  mkdirSync(folder);
  const overrides = major === own ? {} : { "better-sqlite3": PREBUILT_SQLITE };
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, dependencies: { "qinghe-aftersales": `file:${tarball}` }, overrides }),
  );
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], folder);
  if (major === own) useNativeModule(folder);
  const program = join(folder, "node_modules", ".bin", "aftersales");
  const told = run(node, [program, "demo"], folder);
  if (!told.includes("SIMULATED")) throw new Error(`Node ${major}: the demonstration showed no receipt:\n${told}`);
  return `${run(node, ["--version"], folder).trim()}, installed and played the demonstration`;
}

/** The module that was compiled here, if it is the same version; otherwise it is compiled again, which takes minutes. */
function useNativeModule(folder) {
  const version = (place) => JSON.parse(readFileSync(join(place, MODULE, "package.json"), "utf8")).version;
  if (existsSync(join(root, NATIVE)) && version(root) === version(folder)) {
    mkdirSync(join(folder, MODULE, "build", "Release"), { recursive: true });
    copyFileSync(join(root, NATIVE), join(folder, NATIVE));
  } else run("npm", ["rebuild", "better-sqlite3"], folder);
}

/** The path of another Node, from the npm package of that name, or null. */
function nodeOf(major) {
  const npx = ["--yes", "--package", `node@${major}`, "--", "node", "-p", "process.execPath"];
  const found = spawnSync("npx", npx, { cwd: place, encoding: "utf8", timeout: 120_000 });
  return found.status === 0 ? found.stdout.trim() : null;
}

function run(command, args, cwd) {
  const done = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (done.status === 0) return done.stdout;
  throw new Error(`${command} ${args.join(" ")} ended with ${done.status ?? done.signal}:\n${done.stderr}`);
}
