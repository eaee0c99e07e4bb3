/** Owns asking questions for an evaluation: a fresh state directory, one host per profile, and each case read back from disk. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AftersalesError } from "../domain/errors.js";
import type { Identity } from "../domain/identity.js";
import { CaseId, type Language } from "../domain/ids.js";
import type { CaseFile, ChatModels } from "../domain/ports.js";
import { createHost, type Host, identityOf, singleCaller, toAftersalesError } from "../graph/compose.js";
import { initialise } from "../graph/compose-state.js";
import { openSession, type Session } from "../graph/session.js";
import { type CaseView, caseView } from "./case-view.js";
import type { RunContext } from "./run-context.js";

type Desk = { identity: Identity; host: Host; session: Session };
type Question = { profile: string; question: string; language: Language };
export type Asked = { caseId: CaseId; file: CaseFile; view: CaseView; failure: AftersalesError | null };

/** Opens a fresh state, lets `work` ask, and removes the state again. A proposal is withdrawn once it has been looked at. */
export async function withEvaluationDesk<T>(
  context: RunContext,
  models: () => ChatModels,
  work: (ask: (question: Question) => Promise<Asked>) => Promise<T>,
): Promise<T> {
  const { config, clocks, dataDir } = context;
  const stateDir = mkdtempSync(join(tmpdir(), "aftersales-eval-"));
  const desks = new Map<string, Desk>();

  async function deskOf(profile: string): Promise<Desk> {
    const known = desks.get(profile);
    if (known !== undefined) return known;
    const identity = identityOf(dataDir, profile);
    const host = createHost({ config, clocks, dataDir, stateDir, models, callers: singleCaller(identity) });
    const desk = { identity, host, session: await openSession(host, identity) };
    desks.set(profile, desk);
    return desk;
  }

  async function ask({ profile, question, language }: Question): Promise<Asked> {
    const { identity, session } = await deskOf(profile);
    const caseId = CaseId.parse(randomUUID());
    const options = { caller: identity, signal: context.signal, settle: false };
    const failure = await session.begin(caseId, { question, language }, options).then(
      () => null,
      (error: unknown) => toAftersalesError(error),
    );
    const file = await session.read(caseId).catch((error: unknown) => {
      throw failure ?? error;
    });
    const view = caseView(file, { artifactsDir: "", nowMs: clocks.runtime.nowMs() });
    if (file.row.status === "waiting_approval" && view.digest !== undefined) {
      await session.decide(caseId, { decision: "withdraw", digest: view.digest, by: identity.user }, identity);
      await session.drive(caseId, options);
    }
    return { caseId, file, view, failure };
  }

  try {
    await initialise({ config, clocks, dataDir, stateDir });
    return await work(ask);
  } finally {
    for (const { host } of desks.values()) await host.close();
    rmSync(stateDir, { recursive: true, force: true });
  }
}
