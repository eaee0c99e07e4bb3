/** Builds what the tests run, and one initialised state directory that every test gets a copy of. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { TestProject } from "vitest/node";

export default function setup(project: TestProject): () => void {
  const root = resolve(import.meta.dirname, "../..");
  execFileSync(process.execPath, ["scripts/build.mjs", "--types"], { cwd: root, stdio: "inherit" });
  const templateDir = mkdtempSync(join(tmpdir(), "aftersales-template-"));
  execFileSync(process.execPath, ["dist/cli.mjs", "init", "--state-dir", templateDir], { cwd: root });
  project.provide("templateDir", templateDir);
  return () => rmSync(templateDir, { recursive: true, force: true });
}

declare module "vitest" {
  interface ProvidedContext {
    templateDir: string;
  }
}
