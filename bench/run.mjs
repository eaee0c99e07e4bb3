/** Runs one measurement: bundles it as the product is bundled, so that the figures are those of what ships, and runs it. `npm run bench -- search`. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundleSettings } from "../scripts/bundle-settings.mjs";

const BENCHES = ["search", "start", "overhead", "cases", "commerce"];
const root = fileURLToPath(new URL("..", import.meta.url));
const asked = process.argv[2] === undefined ? BENCHES : [process.argv[2]];
// Inside the package, so that the bundles find its libraries and its data.
const folder = mkdtempSync(join(root, ".bench-"));

try {
  if (asked.some((name) => !BENCHES.includes(name))) throw new Error(`Choose one of: ${BENCHES.join(", ")}.`);
  for (const name of asked) {
    await build({
      entryPoints: [join(root, "bench", `${name}.ts`)],
      ...bundleSettings,
      splitting: true,
      outdir: folder,
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
