/** The product under the life-cycle test: real files, the command line and the graph on them, a clock that is moved, processes that are killed. */
import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Database from "better-sqlite3";
import { inject } from "vitest";
import { z } from "zod";
import type { Identity } from "../../src/domain/identity.js";
import { CaseId } from "../../src/domain/ids.js";
import { chooseModel, createHost, type Host, identityOf, readConfig, singleCaller } from "../../src/graph/compose.js";
import { openSession, type Session } from "../../src/graph/session.js";
import { type BridgedCommerce, startBridgedCommerce } from "./lifecycle-commerce.js";
import type { Person } from "./lifecycle-reference.js";
import { watchStatements } from "./statements.js";
import { type Workspace, workspaceAt } from "./workspace.js";

const Printed = z.looseObject({
  caseId: z.string().optional(),
  error: z.looseObject({ code: z.string() }).optional(),
});
/** `said` is what went to stderr. */
export type Answer = { exit: number; caseId: string | null; code: string | null; said: string };

export type Trouble = "kill" | "fail";

export type World = {
  workspace: Workspace;
  commerce: BridgedCommerce;
  setClock(nowMs: number): void;
  /** One command in this process, with its own connections and its own line to the service. */
  command(who: Person, ...args: string[]): Promise<Answer>;
  /** Works on a case as a program with the package's session does; every handle is closed again. */
  asProgram<T>(who: Person, work: (session: Session, host: Host) => Promise<T>): Promise<T>;
  /**
   * The same, but at the statement after so many either the process is gone, and nothing that it would still do reaches a file, or the
   * disk fails once.
   */
  troubled(
    who: Person,
    trouble: Trouble,
    statements: number,
    work: (session: Session, caller: Identity) => Promise<void>,
  ): Promise<void>;
  newCaseId(): CaseId;
  close(): Promise<void>;
};

export async function createWorld(startMs: number): Promise<World> {
  const stateDir = mkdtempSync(join(tmpdir(), "aftersales-lifecycle-"));
  cpSync(inject("templateDir"), stateDir, { recursive: true });
  const workspace = workspaceAt(stateDir);
  let nowMs = startMs;
  const clocks = { runtime: { nowMs: () => nowMs }, monotonicMs: () => performance.now() };
  const commerce = await startBridgedCommerce(clocks.runtime);
  const config = { ...readConfig({}), commerce: commerce.process };

  async function open(who: Person): Promise<{ host: Host; session: Session; identity: Identity }> {
    const identity = identityOf(config.dataDir, who);
    const host = createHost({
      config,
      stateDir,
      dataDir: config.dataDir,
      clocks,
      models: () => chooseModel(config, "rehearsal"),
      callers: singleCaller(identity),
    });
    return { host, session: await openSession(host, identity), identity };
  }

  return {
    workspace,
    commerce,
    setClock(next) {
      nowMs = next;
    },
    async command(who, ...args) {
      const run = await workspace.inProcess(["--json", "--profile", who, ...args], { clocks, config });
      const { caseId = null, error } = Printed.parse(JSON.parse(run.stdout));
      return { exit: run.code, caseId, code: error?.code ?? null, said: run.stderr };
    },
    async asProgram(who, work) {
      const { host, session } = await open(who);
      try {
        return await work(session, host);
      } finally {
        await host.close();
      }
    },
    async troubled(who, trouble, statements, work) {
      const { host, session, identity } = await open(who);
      const watch = troubleAfter(trouble, statements);
      await work(session, identity).catch(() => undefined);
      watch.restore();
      await host.close().catch(() => undefined);
    },
    newCaseId: () => CaseId.parse(randomUUID()),
    async close() {
      await commerce.close();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

/** The end of a process closes the host's databases under it; an open transaction is rolled back. */
function troubleAfter(trouble: Trouble, statements: number) {
  const opened = new Set<Database.Database>();
  let left = statements;
  return watchStatements((database) => {
    // The service's statements are its own process's.
    if (!database.name.includes("/host/")) return;
    opened.add(database);
    left -= 1;
    if (trouble === "kill" && left < 0) for (const each of opened) each.close();
    if (trouble === "fail" && left === -1) throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
  });
}
