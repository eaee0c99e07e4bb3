/** Builds what is shipped: the commands, the package entry and the commerce process, as bundles that start fast. */
import { chmodSync, readFileSync, renameSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "esbuild";
import { bundleSettings } from "./bundle-settings.mjs";

const fresh = `dist.building-${process.pid}`;
const shared = { ...bundleSettings, outdir: fresh };
const program = {
  ...shared,
  entryPoints: { main: "src/cli/bin.ts", open: "src/graph/open.ts" },
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
};

/** What every command needs. */
const COMMON = ["src/graph/compose.ts", "src/cli/run-context.ts"];

/**
 * A module goes into the chunk of exactly those parts of the program that reach it, which makes dozens of chunks, and Node needs almost a
 * millisecond for each. A part that is loaded later is therefore told to reach all that every command has loaded before: then it is one chunk.
 */
async function oneCommonChunk() {
  const { metafile } = await build({ ...program, metafile: true, write: false });
  const later = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  const entries = new Set(Object.values(program.entryPoints));
  const parts = new Set(
    later.filter((file) => file.startsWith("src/") && !entries.has(file)).map((file) => resolve(file)),
  );
  const imports = COMMON.map((file) => `import ${JSON.stringify(resolve(file))};`).join("\n");
  return {
    name: "one-common-chunk",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) =>
        parts.has(path) ? { contents: `${readFileSync(path, "utf8")}\n${imports}\n`, loader: "ts" } : undefined,
      );
    },
  };
}

try {
  await build({ ...program, plugins: [...shared.plugins, await oneCommonChunk()] });
  await build({ ...shared, entryPoints: { commerce: "src/commerce-mcp/main.ts" } });
  // The one file that also an old Node must be able to read.
  await build({ ...shared, entryPoints: { cli: "src/cli/entry.ts" }, target: "node14", banner: {}, keepNames: false });
  await build({ ...shared, entryPoints: { "lossy-line": "src/cli/lossy-line.ts" } });
  for (const file of ["cli.mjs", "commerce.mjs"]) chmodSync(`${fresh}/${file}`, 0o755);
  // Put in place at once, so that a build that failed leaves the last good one.
  rmSync("dist", { recursive: true, force: true });
  renameSync(fresh, "dist");
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
