/** Owns how the program is bundled, for what ships and for what is measured. */
/** Zod brings its messages in fifty languages, a quarter of what a command has to load; the product writes its own and shows none of them. */
const onlyEnglishMessages = {
  name: "only-english-messages",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

/** @type {import("esbuild").BuildOptions} */
export const bundleSettings = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "esm",
  external: ["better-sqlite3"],
  outExtension: { ".js": ".mjs" },
  logLevel: "warning",
  legalComments: "none",
  minify: true,
  keepNames: true,
  plugins: [onlyEnglishMessages],
  banner: {
    // What bundled CommonJS packages expect to find.
    js: [
      "import{createRequire as __createRequire}from'node:module';",
      "import{fileURLToPath as __toPath}from'node:url';",
      "const require=__createRequire(import.meta.url),__filename=__toPath(import.meta.url),__dirname=__toPath(new URL('.',import.meta.url));",
    ].join(""),
  },
};
