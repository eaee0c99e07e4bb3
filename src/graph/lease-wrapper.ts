/** Owns what happens around every node: whose case it is, the lease, the phase's deadline, the events, and how a failure is recorded. */
import { isGraphBubbleUp, type LangGraphRunnableConfig } from "@langchain/langgraph";
import { mayAccessCase } from "../domain/approval.js";
import { type CasePhase, type CaseRow, hasEnded, isDelivered } from "../domain/case.js";
import { AftersalesError, type ErrorCode } from "../domain/errors.js";
import type { Identity } from "../domain/identity.js";
import { CaseId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { Applicant, Cases, Events, NewEvent, Progress } from "../domain/ports.js";
import type { Node, Signing, Unit } from "../nodes/unit.js";
import { assertGraphVersion } from "./version.js";

/** Who drives a run and whose answers count. Bound by the host; a client's own `configurable` and `context` are not consulted. */
export type Callers = {
  callerOf: (config: LangGraphRunnableConfig) => Identity;
  callerFor: (config: LangGraphRunnableConfig, answer: unknown) => Identity;
  /** Shown with a waiting proposal. */
  signing: Signing;
};

type Deps = {
  cases: Cases;
  events: Events;
  leases: { hold<T>(caseId: CaseId, work: (signal: AbortSignal) => Promise<T>): Promise<T> };
  callers: Callers;
  nowMs: () => number;
  toError: (error: unknown) => AftersalesError;
  progress: Progress;
};

export type RunUnit = <State, Update>(
  phase: Exclude<CasePhase, "done">,
  node: Node<State, Update>,
  state: State,
  config: LangGraphRunnableConfig,
) => Promise<Update>;

/** Ends without a failure: the work simply was not finished, and a plain resume goes on with it. */
const UNFINISHED: readonly ErrorCode[] = ["settlement_outcome_unknown", "cancelled", "database_busy"];

/** Phases of several nodes, which share one deadline. */
const LONG_PHASES: readonly CasePhase[] = ["plan", "investigate", "review"];

export function createRunUnit({ cases, events: log, leases, callers, nowMs, toError, progress }: Deps): RunUnit {
  const phaseStarts = new Map<CaseId, { phase: string; atMs: number }>();

  return async (phase, node, state, config) => {
    const caseId = caseIdOf(config);
    const caller = callers.callerOf(config);
    return leases.hold(caseId, async (lost) => {
      const row = await cases.find(caseId);
      if (row !== null) assertUsable(row, caller, phase);
      const started = phaseStart(caseId, phase);
      const remainingMs = (): number => LIMITS.workUnitMs - (nowMs() - started);
      const deadline = new AbortController();
      const timer = setTimeout(
        () => deadline.abort(new AftersalesError("unit_deadline_exceeded")),
        Math.max(0, remainingMs()),
      );
      const outside = config.signal === undefined ? [] : [config.signal];
      const events: NewEvent[] = [];
      const unit: Unit = {
        caseId,
        caller,
        applicant: () => applicantOf(row),
        callerFor: (answer) => callers.callerFor(config, answer),
        signing: callers.signing,
        signal: AbortSignal.any([lost, deadline.signal, ...outside]),
        remainingMs,
        note: (event) => {
          events.push(event);
          progress(event);
        },
      };
      try {
        if (row !== null && isNew(row, phase))
          await cases.update(caseId, { status: "running", phase, errorCode: null });
        const update = await node(state, unit);
        await log.append(caseId, events);
        if (!LONG_PHASES.includes(phase)) phaseStarts.delete(caseId);
        return update;
      } catch (error) {
        phaseStarts.delete(caseId);
        if (isGraphBubbleUp(error)) throw error;
        const failure = lost.aborted ? new AftersalesError("lease_lost") : toError(error);
        if (failure.code !== "lease_lost") await recordFailure(caseId, phase, failure, events);
        throw failure;
      } finally {
        clearTimeout(timer);
      }
    });
  };

  /** A phase has one deadline, however many nodes it takes. */
  function phaseStart(caseId: CaseId, phase: string): number {
    const known = phaseStarts.get(caseId);
    if (known?.phase === phase) return known.atMs;
    const atMs = nowMs();
    phaseStarts.set(caseId, { phase, atMs });
    progress({ phase, status: "started" });
    return atMs;
  }

  async function recordFailure(
    caseId: CaseId,
    phase: Exclude<CasePhase, "done">,
    failure: AftersalesError,
    events: readonly NewEvent[],
  ): Promise<void> {
    const cause = failure.cause instanceof Error ? { cause: failure.cause.message } : {};
    const ended: NewEvent = { phase, status: "failed", code: failure.code, ...cause };
    const status = UNFINISHED.includes(failure.code) ? "queued" : "failed";
    const row = await cases.find(caseId);
    if (row === null || hasEnded(row.status)) return;
    // A step that failed beside the wait does not end the wait.
    const waits = isDelivered(row) && phase !== "deliver" && phase !== "settle";
    await cases.update(caseId, waits ? {} : { status, phase, errorCode: failure.code }, [...events, ended]);
  }
}

function caseIdOf(config: LangGraphRunnableConfig): CaseId {
  const parsed = CaseId.safeParse(config.configurable?.thread_id);
  if (!parsed.success) throw new AftersalesError("case_not_accessible");
  return parsed.data;
}

function applicantOf(row: CaseRow | null): Applicant {
  if (row === null) throw new AftersalesError("case_not_accessible");
  return { tenant: row.tenant, user: row.applicant };
}

function assertUsable(row: CaseRow, caller: Identity, phase: CasePhase): void {
  if (!mayAccessCase(row, caller)) throw new AftersalesError("case_not_accessible");
  assertGraphVersion(row);
  // A jump or an old checkpoint must not reopen what was delivered. The later phases repeat harmlessly: a crash may have cut them short.
  if (isDelivered(row) && (phase === "investigate" || phase === "review")) {
    throw new AftersalesError("case_ended", { status: row.status });
  }
}

/** The wait and the delivery leave the row as they write it themselves; once delivered, only an approved payment runs. */
function isNew(row: CaseRow, phase: CasePhase): boolean {
  if (phase === "approve" || phase === "deliver" || hasEnded(row.status)) return false;
  if (isDelivered(row) && (phase !== "settle" || row.phase !== "settle")) return false;
  return row.phase !== phase || row.status !== "running";
}
