/** Runs one measurement: bundles it as the product is bundled, so that the figures are those of what ships, and runs it. `npm run bench -- search`. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const BENCHES = ["search", "start"];
const root = fileURLToPath(new URL("..", import.meta.url));
const asked = process.argv[2] === undefined ? BENCHES : [process.argv[2]];
const folder = mkdtempSync(join(tmpdir(), "aftersales-bench-"));

try {
  if (asked.some((name) => !BENCHES.includes(name))) throw new Error(`Choose one of: ${BENCHES.join(", ")}.`);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const name of asked) {
    await build({
      entryPoints: [join(root, "bench", `${name}.ts`)],
      bundle: true,
      platform: "node",
      target: "node20",
      format: "esm",
      packages: "external",
      outfile: join(folder, `${name}.mjs`),
      logLevel: "warning",
    });
    const { status } = spawnSync(process.execPath, [join(folder, `${name}.mjs`)], { cwd: root, stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
