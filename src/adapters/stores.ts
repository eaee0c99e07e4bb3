/** Owns opening the host's two databases and the ledgers over them, once per process, and closing them again. */
import { existsSync } from "node:fs";
import type { Clock } from "../domain/clock.js";
import { AftersalesError } from "../domain/errors.js";
import { openFile } from "../sqlite/open.js";
import { type ApplicationDb, openApplicationDatabase } from "./application-database.js";
import { createApprovalLedger } from "./approval-ledger.js";
import { createArtifactStore } from "./artifact-store.js";
import { createBudgetLedger } from "./budget-ledger.js";
import { createCaseLeases } from "./case-lease.js";
import { createCaseStore } from "./case-store.js";
import { createCaseWrites, createEventLog } from "./case-writes.js";
import { createGrantSigner } from "./grant-signer.js";
import { createGroupedWrites } from "./grouped-writes.js";
import type { LeasedSaver } from "./leased-saver.js";
import { createNoteStore } from "./note-store.js";
import { createPreferenceStore } from "./preference-store.js";
import type { StatePaths } from "./state-directory.js";

export type Stores = Awaited<ReturnType<typeof openStores>>;

/**
 * Opens application.db, unless it is given open, and checkpoints.db when first needed: reading a case does not need its steps.
 * Closing closes both.
 */
export async function openStores(input: { paths: StatePaths; clock: Clock; create: boolean; db?: ApplicationDb }) {
  const { paths, clock, create } = input;
  const db = input.db ?? (await openApplicationDatabase(paths.applicationDb, { create, stateDir: paths.root }));
  let saver: Promise<LeasedSaver> | undefined;
  const checkpoints = (): Promise<LeasedSaver> => {
    saver ??= openCheckpoints(paths, create);
    return saver;
  };
  const inTransaction = createGroupedWrites(db);
  const leases = createCaseLeases({ db, inTransaction, clock, fence: checkpoints });
  const write = createCaseWrites({ inTransaction, clock, leases });
  return {
    db,
    checkpoints,
    leases,
    cases: createCaseStore({ db, clock, write }),
    events: createEventLog({ clock, leases }),
    budget: createBudgetLedger({ write }),
    approvals: createApprovalLedger({ db, clock, write, signer: createGrantSigner(paths.keysDir) }),
    preferences: createPreferenceStore({ db, clock }),
    notes: createNoteStore({ db, write }),
    artifacts: createArtifactStore({ db, artifactsDir: paths.artifactsDir }),
    async close(): Promise<void> {
      await leases.releaseAll();
      await db.destroy();
      await saver?.then(
        ({ db: file }) => file.close(),
        () => undefined,
      );
    },
  };
}

/** LangGraph is a large library: a command that only reads a case does not load it. */
async function openCheckpoints(paths: StatePaths, create: boolean): Promise<LeasedSaver> {
  if (!create && !existsSync(paths.checkpointsDb)) throw new AftersalesError("state_missing", { dir: paths.root });
  const { LeasedSaver } = await import("./leased-saver.js");
  return new LeasedSaver(openFile(paths.checkpointsDb, { create }));
}
