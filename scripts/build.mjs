/** Builds what is shipped: the commands, the package entry and the commerce process as bundles that start fast, and the types. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { build } from "esbuild";

const require = createRequire(import.meta.url);

const shared = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  external: ["better-sqlite3"],
  outdir: "dist",
  outExtension: { ".js": ".mjs" },
  logLevel: "warning",
  legalComments: "none",
  banner: {
    // What bundled CommonJS packages expect to find.
    js: [
      "import{createRequire as __createRequire}from'node:module';",
      "import{fileURLToPath as __toPath}from'node:url';",
      "const require=__createRequire(import.meta.url),__filename=__toPath(import.meta.url),__dirname=__toPath(new URL('.',import.meta.url));",
    ].join(""),
  },
};

const entries = Object.entries({
  cli: "src/cli/bin.ts",
  open: "src/graph/open.ts",
}).filter(([, file]) => existsSync(file));

rmSync("dist", { recursive: true, force: true });
await build({
  ...shared,
  entryPoints: Object.fromEntries(entries),
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
});
await build({ ...shared, entryPoints: { commerce: "src/commerce-mcp/main.ts" } });
for (const file of ["dist/cli.mjs", "dist/commerce.mjs"]) if (existsSync(file)) chmodSync(file, 0o755);
if (process.argv.includes("--types")) {
  execFileSync(process.execPath, [require.resolve("typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
}
