import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const ROOT = resolve(import.meta.dirname, "..");
const SRC = join(ROOT, "src");

type SourceFile = {
  /** Below its own root, such as `graph/compose.ts`. */
  name: string;
  path: string;
  /** Without comments: a word in a sentence is not code. */
  code: string;
  text: string;
  lines: number;
};

const MAX_LINES = 250;

/** Which rooms a room may import. A room missing from its own list may not exist. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: ["domain"],
  sqlite: ["sqlite"],
  "commerce-mcp": ["commerce-mcp", "sqlite", "domain"],
  adapters: ["adapters", "sqlite", "domain"],
  tools: ["tools", "domain"],
  nodes: ["nodes", "tools", "domain"],
  graph: ["graph", "nodes", "tools", "domain"],
  cli: ["cli", "graph", "domain"],
};
/** The files that put ports and adapters together; one per thing that is put together. */
const COMPOSITION_ROOT = /^graph\/compose(-[a-z]+)?\.ts$/;

/** Words of the code that have one home. */
const HOMES: readonly { word: RegExp; home: readonly string[] }[] = [
  { word: /process\.env\b/, home: ["adapters/config.ts"] },
  {
    word: /process\.stdout|\bconsole\./,
    home: ["cli/print.ts", "cli/lossy-line.ts", "commerce-mcp/stdout-guard.ts", "commerce-mcp/main.ts"],
  },
  { word: /\binterrupt\(/, home: ["nodes/approve.ts"] },
  {
    word: /\bexecute_refund\b/,
    home: [
      "commerce-mcp/write-tools.ts",
      "domain/commerce-wire.ts",
      "adapters/commerce-writes.ts",
      "adapters/commerce-pins.ts",
      // Shows that a forged approval is refused.
      "cli/error-demo.ts",
    ],
  },
  {
    word: /"better-sqlite3"/,
    home: ["sqlite/open.ts", "sqlite/dialect.ts", "adapters/leased-saver.ts"],
  },
  { word: /"kysely"/, home: ["sqlite/", "commerce-mcp/", "adapters/"] },
  { word: /"@langchain\/langgraph"/, home: ["graph/", "nodes/approve.ts"] },
  {
    word: /"@langchain\/langgraph-sdk/,
    home: ["graph/studio-auth.ts", "graph/studio-local.ts", "graph/studio-doors.ts"],
  },
  { word: /"@langchain\/openai"/, home: ["adapters/live-model.ts"] },
  {
    word: /"jose"/,
    home: [
      "adapters/grant-signer.ts",
      "adapters/grant-reader.ts",
      "adapters/bearer-tokens.ts",
      "commerce-mcp/grants.ts",
    ],
  },
  { word: /\b(CommerceSettlement|SettlementFor)\b/, home: ["domain/", "adapters/", "graph/", "nodes/settle.ts"] },
  { word: /\b(CommerceTickets)\b/, home: ["domain/", "adapters/", "graph/compose.ts", "cli/"] },
  { word: /\bApprovals\b/, home: ["domain/", "adapters/", "graph/", "nodes/"] },
];

/** Ways around the compiler and the linter. */
const LOOSE_TYPES = /\bas any\b|:\s*any\b(?=\s*[,;)=|&[\]>{}])|<any\b|\bany>|\bas unknown as\b/;
const DIRECTIVES = /@ts-(?:ignore|nocheck|expect-error)|biome-ignore/;
/** The one place where the linter's rule is what the code is about: characters that must not reach a terminal. */
const MAY_GO_AROUND = ["cli/print.ts"];

/** Starting one of these starts its process; everything else only declares. */
const PROCESS_SHELLS = ["cli/bin.ts", "cli/lossy-line.ts", "cli/entry.ts", "commerce-mcp/main.ts"];
/** Works at import by design: it must stand before anything that could print. Only its process shell imports it. */
const STDOUT_GUARD = "commerce-mcp/stdout-guard.ts";

const files = sourceFiles();
const everyFile = ["src", "tests", "bench", "scripts"].flatMap((folder) => sourceFiles(join(ROOT, folder)));
const isHome = (home: readonly string[], name: string): boolean =>
  home.some((place) => (place.endsWith("/") ? name.startsWith(place) : name === place));

test("the source tree is found", () => {
  expect(files.length).toBeGreaterThan(100);
});

test.each(files)("$name imports only the rooms it may", (file) => {
  const own = MAY_IMPORT[roomOf(file.name)];
  expect(own, `${file.name} is in an unknown room`).toBeDefined();
  const allowed = COMPOSITION_ROOT.test(file.name) ? [...(own ?? []), "adapters"] : own;
  for (const target of relativeImports(file)) {
    expect(existsSync(join(SRC, target)), `${file.name} -> ${target} does not exist`).toBe(true);
    expect(allowed, `${file.name} -> ${target}`).toContain(roomOf(target));
  }
});

test("nothing imports in a circle", () => {
  const edges = new Map(files.map((file) => [file.name, relativeImports(file)]));
  const done = new Set<string>();
  const visit = (name: string, trail: readonly string[]): void => {
    expect(trail, [...trail, name].join(" -> ")).not.toContain(name);
    if (done.has(name)) return;
    for (const next of edges.get(name) ?? []) visit(next, [...trail, name]);
    done.add(name);
  };
  for (const name of edges.keys()) visit(name, []);
});

test.each(HOMES)("$word stands only in $home", ({ word, home }) => {
  expect(files.some(({ code }) => word.test(code))).toBe(true);
  expect(files.filter(({ name, code }) => word.test(code) && !isHome(home, name)).map(({ name }) => name)).toEqual([]);
});

test("the domain imports nothing but zod, canonicalize and node:crypto", () => {
  const imported = files.filter(({ name }) => name.startsWith("domain/")).flatMap(packageImports);
  expect([...new Set(imported)].sort()).toEqual(["canonicalize", "node:crypto", "zod"]);
});

test("no file goes around the compiler or the linter", () => {
  const around = everyFile
    .filter(({ path }) => path !== join(ROOT, "tests/architecture.test.ts"))
    .filter(({ code, text }) => LOOSE_TYPES.test(code) || DIRECTIVES.test(text))
    .map(({ name }) => name);
  expect(around).toEqual(MAY_GO_AROUND);
});

test.each(files)("$name owns one thing, is named after it and stays short", ({ name, text, lines }) => {
  expect(lines).toBeLessThanOrEqual(MAX_LINES);
  expect(name).not.toMatch(/(^|[/-])(utils?|helpers?|common|misc)([./-]|$)|(^|\/)index\.ts$/);
  expect(name).toMatch(/^[a-z0-9-]+(\/[a-z0-9-]+)*\.ts$/);
  expect(text.replace(/^#!.*\n/, "")).toMatch(/^\/\*\*/);
});

test("importing the sources starts no work: the process ends by itself and prints nothing", async () => {
  const built = await buildSources();
  const entries = files.filter(({ name }) => ![...PROCESS_SHELLS, STDOUT_GUARD].includes(name));
  const script = [
    ...entries.map(({ name }) => `await import(${JSON.stringify(join(built, name.replace(/\.ts$/, ".js")))});`),
    "const busy = process.getActiveResourcesInfo().filter((kind) => /Timeout|Immediate|TCP|UDP|Process|Worker|Watcher|FSEvent/.test(kind));",
    'if (busy.length > 0) throw new Error(busy.join(" "));',
  ].join("\n");
  writeFileSync(join(built, "import-all.js"), script);
  const stdout = execFileSync(process.execPath, ["import-all.js"], {
    cwd: built,
    env: {},
    timeout: 30_000,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  expect(stdout).toBe("");
  const left = readdirSync(built).filter((name) => !(name in MAY_IMPORT));
  expect(left.sort()).toEqual(["import-all.js", "package.json"]);
  expect(files.filter((file) => relativeImports(file).includes(STDOUT_GUARD)).map(({ name }) => name)).toEqual([
    "commerce-mcp/main.ts",
  ]);
});

test.each(["zod", "better-sqlite3"])("there is one copy of %s", (name) => {
  const listed = execFileSync("npm", ["ls", name, "--all", "--parseable"], { cwd: ROOT, encoding: "utf8" });
  expect(
    listed
      .trim()
      .split("\n")
      .map((path) => path.slice(ROOT.length)),
  ).toEqual([`/node_modules/${name}`]);
});

const Manifest = z.looseObject({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});
const manifest = Manifest.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
/** Run as programs, or read by the compiler: nothing imports them. */
const TOOLS = /^(@biomejs\/biome|typescript|@langchain\/langgraph-cli|@types\/.+)$/;

test("every package that the product depends on is imported, and every import is a declared package", () => {
  const imported = packagesOf(files);
  expect(Object.keys(manifest.dependencies).filter((name) => !imported.has(name))).toEqual([]);
  expect([...imported].filter((name) => !name.startsWith("node:") && !(name in manifest.dependencies))).toEqual([]);
});

test("every development package is imported by tests, benches or scripts, or is a tool", () => {
  const imported = packagesOf(everyFile);
  expect(Object.keys(manifest.devDependencies).filter((name) => !imported.has(name) && !TOOLS.test(name))).toEqual([]);
});

const ServerConfig = z.looseObject({
  // The default loader is a process in between, which kills a busy server while it writes its threads down.
  node_loader: z.literal("tsx/esm"),
  graphs: z.record(z.string(), z.string()),
  auth: z.looseObject({ path: z.string(), disable_studio_auth: z.literal(true) }),
  http: z.looseObject({ disable_store: z.literal(true), cors: z.looseObject({ allow_origin_regex: z.string() }) }),
});

test.each(["langgraph.json", "langgraph.auth.json"])(
  "%s names exports that exist, has no way around its door and answers only Studio's and local pages",
  (file) => {
    const { graphs, auth, http } = ServerConfig.parse(JSON.parse(readFileSync(join(ROOT, file), "utf8")));
    expect(Object.keys(graphs)).toHaveLength(1);
    for (const entry of [...Object.values(graphs), auth.path]) {
      const [path = "", name = ""] = entry.split(":");
      expect(readFileSync(join(ROOT, path), "utf8")).toMatch(
        new RegExp(`export (const|function|async function) ${name}\\b`),
      );
    }
    const doors = readFileSync(join(SRC, "graph/studio-doors.ts"), "utf8");
    expect(doors.replaceAll("\\/", "/")).toContain(http.cors.allow_origin_regex);
  },
);

test("no document names a place outside the project", () => {
  const named = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", ...documentsBelow("docs")]
    .filter((name) => existsSync(join(ROOT, name)))
    .filter((name) =>
      /(^|[\s`"'(=])(\/(work|home|Users|root|tmp|var|mnt)\/|~\/)|file:\/\//m.test(
        readFileSync(join(ROOT, name), "utf8"),
      ),
    );
  expect(named).toEqual([]);
});

/** Every source file on its own as JavaScript, beside the packages it imports. Removed when the test ends. */
async function buildSources(): Promise<string> {
  const folder = join(ROOT, "node_modules/.cache/architecture-test", String(process.pid));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const entryPoints = files.map(({ path }) => path);
  await build({ entryPoints, outdir: folder, outbase: SRC, format: "esm", target: "node20", logLevel: "error" });
  return folder;
}

function documentsBelow(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
}

function packagesOf(list: readonly SourceFile[]): Set<string> {
  return new Set(list.flatMap(packageImports));
}

function sourceFiles(root: string = SRC): SourceFile[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => {
      const text = readFileSync(path, "utf8");
      return {
        name: relative(root, path),
        path,
        text,
        code: withoutComments(text),
        lines: text.trimEnd().split("\n").length,
      };
    });
}

function roomOf(name: string): string {
  return name.split("/")[0] ?? "";
}

/** The files a file imports by a relative path, named below `src`. */
function relativeImports({ path, code }: SourceFile): string[] {
  return [...code.matchAll(/(?:from|import|import\()\s*"(\.{1,2}\/[^"]+)"/g)].map((match) =>
    relative(SRC, resolve(dirname(path), (match[1] ?? "").replace(/\.js$/, ".ts"))),
  );
}

/** The packages a file imports, without the part below the package; `node:` modules keep their name. */
function packageImports({ code }: SourceFile): string[] {
  return [...code.matchAll(/(?:from|import|import\()\s*"([^."][^"]*)"/g)].map((match) => {
    const specifier = match[1] ?? "";
    if (specifier.startsWith("node:")) return specifier;
    return specifier
      .split("/")
      .slice(0, specifier.startsWith("@") ? 2 : 1)
      .join("/");
  });
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}
