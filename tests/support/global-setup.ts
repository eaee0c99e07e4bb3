/** Builds what the tests run, and one initialised state directory that every test gets a copy of. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";

export default function setup(project: TestProject): () => void {
  const root = resolve(import.meta.dirname, "../..");
  if (isOutdated(root)) execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: root, stdio: "inherit" });
  const templateDir = mkdtempSync(join(tmpdir(), "aftersales-template-"));
  execFileSync(process.execPath, ["dist/cli.mjs", "init", "--state-dir", templateDir], { cwd: root });
  project.provide("templateDir", templateDir);
  return () => rmSync(templateDir, { recursive: true, force: true });
}

/** Building again for every single test file would only cost time. */
function isOutdated(root: string): boolean {
  const built = join(root, "dist", "cli.mjs");
  if (!existsSync(built)) return true;
  const builtMs = statSync(built).mtimeMs;
  return readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs > builtMs);
}

declare module "vitest" {
  interface ProvidedContext {
    templateDir: string;
  }
}
