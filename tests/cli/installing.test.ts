import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { CLI, ROOT, runProcess } from "../support/workspace.js";

const Packed = z.tuple([
  z.looseObject({ size: z.int(), files: z.array(z.looseObject({ path: z.string(), mode: z.int() })) }),
]);
const MEGABYTE = 1_000_000;

it("the package holds the program, the merchant's data and what to read first, and nothing else", () => {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const [{ size, files }] = Packed.parse(JSON.parse(execFileSync("npm", args, { cwd: ROOT, encoding: "utf8" })));
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      "package.json",
      "LICENSE",
      "README.md",
      "README.zh.md",
      "CHANGELOG.md",
      "dist/cli.mjs",
      "dist/main.mjs",
      "dist/commerce.mjs",
      "dist/open.mjs",
      "data/business.json",
      "data/profiles.json",
      "data/refund_rules.json",
      "data/synonyms.json",
      "data/knowledge/RETURNS.md",
      "data/skills/refund/SKILL.md",
    ]),
  );
  const known = /^(?:dist|data|examples)\/|^(?:README|README\.zh|CHANGELOG)\.md$|^LICENSE$|^package\.json$/;
  expect(paths.filter((path) => !known.test(path))).toEqual([]);
  expect(paths.filter((path) => /\.(?:db|jwk|env|tgz|log|map)$|\.state/.test(path))).toEqual([]);
  expect(size).toBeLessThan(2 * MEGABYTE);
  for (const { path, mode } of files.filter((file) => /dist\/(?:cli|commerce)\.mjs$/.test(file.path))) {
    expect(mode & 0o111, path).toBe(0o111);
  }
});

it.each(["v18.20.8", "v20.18.3", "v16.0.0"])("Node %s is told in one sentence that it is too old", async (version) => {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-node-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const preload = join(folder, "older.cjs");
  writeFileSync(preload, `Object.defineProperty(process, "version", { value: ${JSON.stringify(version)} });`);
  const run = await runProcess(process.execPath, ["--require", preload, CLI, "--help"]);
  expect(run).toEqual({
    code: 1,
    stdout: "",
    stderr: `aftersales needs Node 20.19 or newer, and this is ${version}. Install a newer Node and run the command again. (unsupported_node)\n`,
  });
});

it("the Node that the program asks for is the one that package.json names", () => {
  const { engines } = z
    .looseObject({ engines: z.strictObject({ node: z.string() }) })
    .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  expect(engines.node).toBe(">=20.19");
  expect(readFileSync(join(ROOT, "src", "cli", "entry.ts"), "utf8")).toContain("const OLDEST = [20, 19];");
});
