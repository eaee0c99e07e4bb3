/** Owns one program run on behalf of one identity: the graph on the shared stores, and the lease around every use of it. */
import { mayAccessCase } from "../domain/approval.js";
import { type CaseRow, hasEnded } from "../domain/case.js";
import { AftersalesError } from "../domain/errors.js";
import type { Identity } from "../domain/identity.js";
import { CaseId } from "../domain/ids.js";
import type { Approvals, CaseFile } from "../domain/ports.js";
import { type Host, toAftersalesError } from "./compose.js";
import { beginCase, type CaseInputValues, type DriveOptions, driveCase, waitingInterrupt } from "./drive.js";
import { buildSupportGraph, type SupportGraph } from "./support-graph.js";

export type Session = {
  graph: SupportGraph;
  /** Holds the case's lease around `work`; on a wait or an end it leaves only the newest checkpoint behind, unless history is kept. */
  withCase<T>(caseId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  begin(caseId: CaseId, input: CaseInputValues, options: DriveOptions): Promise<void>;
  drive(caseId: CaseId, options: DriveOptions): Promise<void>;
  decide: Approvals["decide"];
  read(caseId: string): Promise<CaseFile>;
  interruptId(caseId: CaseId): Promise<string | null>;
};

export async function openSession(host: Host, identity: Identity): Promise<Session> {
  const stores = await host.stores();
  const graph = buildSupportGraph(host.graph, await stores.checkpoints());
  const deps = {
    graph,
    approvals: stores.approvals,
    cases: stores.cases,
    forgetSteps: async (caseId: CaseId) => (await stores.checkpoints()).deleteThread(caseId),
  };

  async function withCase<T>(caseId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const id = CaseId.safeParse(caseId);
    if (!id.success) throw new AftersalesError("case_not_accessible");
    return stores.leases.hold(id.data, async (lost) => {
      // A node checks this too, but input and edits are saved before any node runs.
      const known = await stores.cases.find(id.data);
      if (known !== null && !mayAccessCase(known, identity)) throw new AftersalesError("case_not_accessible");
      try {
        const result = await work(lost);
        await putDown(id.data, null);
        return result;
      } catch (error) {
        // What failed is what the caller has to hear, whatever leaving the case behind may run into.
        await putDown(id.data, error).catch(() => undefined);
        throw error;
      }
    });
  }

  /** Leaves a case as nobody's: an unfinished one is queued, and one at rest keeps only its newest checkpoint. */
  async function putDown(caseId: CaseId, error: unknown): Promise<void> {
    const row = await stores.cases.find(caseId);
    const errorCode = error === null ? null : toAftersalesError(error).code;
    // What a node throws is in the log already. The library's own errors come from between the nodes.
    if (row !== null && error instanceof Error && !(error instanceof AftersalesError)) {
      const failed = { phase: row.phase, status: "failed", code: errorCode ?? "internal_error", cause: error.message };
      await stores.events.append(caseId, [failed]);
    }
    if (row?.status === "running") await stores.cases.update(caseId, { status: "queued", errorCode });
    if (row !== null && isAtRest(row) && !host.keepHistory) await (await stores.checkpoints()).prune(caseId);
  }

  const held = (caseId: CaseId, options: DriveOptions, run: (options: DriveOptions) => Promise<void>): Promise<void> =>
    withCase(caseId, (lost) =>
      run({ ...options, signal: options.signal === undefined ? lost : AbortSignal.any([lost, options.signal]) }),
    );

  return {
    graph,
    withCase,
    begin: (caseId, input, options) => held(caseId, options, (merged) => beginCase(deps, caseId, input, merged)),
    drive: (caseId, options) => held(caseId, options, (merged) => driveCase(deps, caseId, merged)),
    decide: stores.approvals.decide,
    read: async (caseId) => (await host.reader()).read(caseId, identity),
    interruptId: (caseId) => waitingInterrupt(graph, caseId),
  };
}

function isAtRest(row: CaseRow): boolean {
  return row.status === "waiting_approval" || hasEnded(row.status);
}
