/** A private state directory for one test, and the command line on it: as a child process, or in this process with injected clocks and models. */
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import { inject, onTestFinished } from "vitest";
import { z } from "zod";
import { type MainOptions, main } from "../../src/cli/main.js";
import { createOutput } from "../../src/cli/print.js";

export const ROOT = resolve(import.meta.dirname, "../..");
export const CLI = join(ROOT, "dist", "cli.mjs");

export type Run = { code: number; stdout: string; stderr: string };

/** Parses the one JSON object a `--json` command printed. */
export function jsonOf(run: Run): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(run.stdout));
}

export type Workspace = {
  stateDir: string;
  /** Runs the built command as its own process. `env` replaces nothing but adds. */
  cli(args: readonly string[], options?: { env?: Record<string, string>; signal?: AbortSignal }): Promise<Run>;
  /** Runs the command in this process, on the same files. */
  inProcess(args: readonly string[], given?: MainOptions): Promise<Run>;
  /** Reads application.db or commerce.db with plain SQL. */
  query(
    database: "application" | "commerce" | "checkpoints",
    sql: string,
    ...values: unknown[]
  ): Record<string, unknown>[];
  /** Changes a database behind the product's back. */
  tamper(database: "application" | "commerce", sql: string, ...values: unknown[]): void;
  /** The same with several statements on one connection, so that a pragma holds for those after it. */
  tamperAll(database: "application" | "commerce", statements: readonly string[]): void;
};

/** A copy of an initialised state directory, removed when the test ends. Uses the rehearsal model unless `--model` says otherwise. */
export function createWorkspace(): Workspace {
  const stateDir = mkdtempSync(join(tmpdir(), "aftersales-test-"));
  cpSync(inject("templateDir"), stateDir, { recursive: true });
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  return workspaceAt(stateDir);
}

export function workspaceAt(stateDir: string): Workspace {
  const complete = (args: readonly string[]): string[] => [
    "--state-dir",
    stateDir,
    ...(args.includes("--model") ? [] : ["--model", "rehearsal"]),
    ...args,
  ];
  const files = {
    application: join(stateDir, "host", "application.db"),
    checkpoints: join(stateDir, "host", "checkpoints.db"),
    commerce: join(stateDir, "commerce", "commerce.db"),
  };
  return {
    stateDir,
    cli: (args, options = {}) => runProcess(process.execPath, [CLI, ...complete(args)], options),
    async inProcess(args, given = {}) {
      const written = { stdout: "", stderr: "" };
      const output = createOutput(
        { write: (text) => (written.stdout += text) },
        { write: (text) => (written.stderr += text) },
      );
      const code = await main(complete(args), { output, ...given });
      return { code, ...written };
    },
    query(database, sql, ...values) {
      const opened = new Database(files[database], { readonly: true, fileMustExist: true });
      try {
        return z.array(z.record(z.string(), z.unknown())).parse(opened.prepare(sql).all(...values));
      } finally {
        opened.close();
      }
    },
    tamper(database, sql, ...values) {
      const opened = new Database(files[database], { fileMustExist: true });
      try {
        opened.prepare(sql).run(...values);
      } finally {
        opened.close();
      }
    },
    tamperAll(database, statements) {
      const opened = new Database(files[database], { fileMustExist: true });
      try {
        for (const statement of statements) opened.exec(statement);
      } finally {
        opened.close();
      }
    },
  };
}

/** Runs a program to its end and collects what it wrote. */
export function runProcess(
  command: string,
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string; signal?: AbortSignal; uid?: number; gid?: number } = {},
): Promise<Run> {
  return new Promise((done, fail) => {
    const child = spawn(command, [...args], {
      cwd: options.cwd ?? ROOT,
      env: {
        ...withoutModelSettings(process.env),
        // A developer's own .env lies in the project's folder.
        ...(options.cwd === undefined ? { AFTERSALES_ENV_FILE: "" } : {}),
        ...options.env,
      },
      stdio: ["ignore", "pipe", "pipe"],
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
      ...(options.signal === undefined ? {} : { signal: options.signal, killSignal: "SIGKILL" }),
    });
    const written = { stdout: "", stderr: "" };
    child.stdout.on("data", (chunk: Buffer) => (written.stdout += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (written.stderr += chunk.toString("utf8")));
    child.on("error", (error) => (error.name === "AbortError" ? undefined : fail(error)));
    child.on("close", (code) => done({ code: code ?? -1, ...written }));
  });
}

/** A developer's own key must never decide what a test does. */
function withoutModelSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(AFTERSALES|DEEPSEEK|OPENAI|LANGSMITH|LANGCHAIN)_/.test(name)),
  );
}
