/** A state directory as the first version of the program left it: one paid case, one waiting case. Built from SQL text, so that it can be read and stays as it is. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { inject, onTestFinished } from "vitest";
import { ROOT, type Workspace, workspaceAt } from "./workspace.js";

export const DATABASES = {
  application: ["host", "application.db"],
  checkpoints: ["host", "checkpoints.db"],
  commerce: ["commerce", "commerce.db"],
} as const;

export type DatabaseName = keyof typeof DATABASES;
export const DATABASE_NAMES = ["application", "checkpoints", "commerce"] as const;

export function firstVersionWorkspace(): Workspace {
  const stateDir = mkdtempSync(join(tmpdir(), "aftersales-first-"));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  cpSync(inject("templateDir"), stateDir, { recursive: true });
  for (const name of DATABASE_NAMES) {
    const file = join(stateDir, ...DATABASES[name]);
    rmSync(file);
    const database = new Database(file);
    database.pragma("journal_mode = WAL");
    database.exec(readFileSync(join(ROOT, "tests", "fixtures", "first-version", `${name}.sql`), "utf8"));
    database.close();
  }
  return workspaceAt(stateDir);
}

/** Runs SQL on one file as another program would. */
export function changeFile({ stateDir }: Workspace, name: DatabaseName, sql: string): void {
  const database = new Database(join(stateDir, ...DATABASES[name]), { fileMustExist: true });
  database.exec(sql);
  database.close();
}
