/** A private copy of the shipped data directory, for tests that break one thing in it. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";

export const DATA = resolve(import.meta.dirname, "../../data");

export type DataCopy = { dir: string; edit: (file: string, change: (text: string) => string) => void };

export function copyOfData(): DataCopy {
  const dir = mkdtempSync(join(tmpdir(), "data-test-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(DATA, dir, { recursive: true });
  return {
    dir,
    edit(file, change) {
      const path = join(dir, file);
      const before = readFileSync(path, "utf8");
      const after = change(before);
      if (after === before) throw new Error(`the change to ${file} changed nothing`);
      writeFileSync(path, after);
    },
  };
}
