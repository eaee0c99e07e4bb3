/** Builds what is shipped: the commands, the package entry and the commerce process, as bundles that start fast. */
import { chmodSync, renameSync, rmSync } from "node:fs";
import { build } from "esbuild";
import { bundleSettings } from "./bundle-settings.mjs";

const fresh = `dist.building-${process.pid}`;
const shared = { ...bundleSettings, outdir: fresh };

try {
  await build({
    ...shared,
    entryPoints: { cli: "src/cli/bin.ts", open: "src/graph/open.ts" },
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
  });
  await build({ ...shared, entryPoints: { commerce: "src/commerce-mcp/main.ts" } });
  for (const file of ["cli.mjs", "commerce.mjs"]) chmodSync(`${fresh}/${file}`, 0o755);
  // Put in place at once, so that a build that failed leaves the last good one.
  rmSync("dist", { recursive: true, force: true });
  renameSync(fresh, "dist");
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
