/** Builds what is shipped: the commands, the package entry and the commerce process, as bundles that start fast. */
import { chmodSync, renameSync, rmSync } from "node:fs";
import { build } from "esbuild";

const fresh = `dist.building-${process.pid}`;
const shared = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  external: ["better-sqlite3"],
  outdir: fresh,
  outExtension: { ".js": ".mjs" },
  logLevel: "warning",
  legalComments: "none",
  minify: true,
  keepNames: true,
  banner: {
    // What bundled CommonJS packages expect to find.
    js: [
      "import{createRequire as __createRequire}from'node:module';",
      "import{fileURLToPath as __toPath}from'node:url';",
      "const require=__createRequire(import.meta.url),__filename=__toPath(import.meta.url),__dirname=__toPath(new URL('.',import.meta.url));",
    ].join(""),
  },
};

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
