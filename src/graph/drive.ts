/** Owns moving a case forward from wherever it stands: first run, after a crash, after a decision. The graph's saved state says what is next. */
import { Command } from "@langchain/langgraph";
import { isOpen } from "../domain/approval.js";
import { hasEnded, isDelivered } from "../domain/case.js";
import { AftersalesError } from "../domain/errors.js";
import type { Identity } from "../domain/identity.js";
import type { CaseId } from "../domain/ids.js";
import type { Approvals, Cases } from "../domain/ports.js";
import type { SupportGraph } from "./support-graph.js";

export type DriveOptions = {
  caller: Identity;
  signal?: AbortSignal | undefined;
  /** Stop after the next phase. */
  oneStep?: boolean;
  /** Whether an approved refund may be executed now. Recording a decision never does. */
  settle: boolean;
};

export type CaseInputValues = { question: string; language: "zh" | "en" };

type GraphInput = Parameters<SupportGraph["invoke"]>[0];
type Deps = {
  graph: SupportGraph;
  approvals: Pick<Approvals, "latest">;
  cases: Pick<Cases, "find">;
  /** Drops the saved steps of a case. */
  forgetSteps: (caseId: CaseId) => Promise<void>;
};

const AFTER_DELIVERY = ["intake", "deliver", "approve", "settle"];
const PHASE_NODES = ["plan", "investigate", "review", "deliver", "settle"] as const;
/** Far above what a case can need: its own limits end it first. */
const SUPERSTEPS = 100;
const ROUNDS = 12;

/** Settings every call shares: saved before the next step, and an answer counts only for the interrupt that was shown. */
export function runConfig(caseId: CaseId, options: Pick<DriveOptions, "signal" | "oneStep">) {
  return {
    configurable: { thread_id: caseId, __pregel_strict_resume: true },
    durability: "sync" as const,
    recursionLimit: SUPERSTEPS,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.oneStep === true ? { interruptAfter: [...PHASE_NODES] } : {}),
  };
}

/** Runs a new case until it waits, ends or, with `oneStep`, has finished its first phase. */
export async function beginCase(
  deps: Deps,
  caseId: CaseId,
  input: CaseInputValues,
  options: DriveOptions,
): Promise<void> {
  await deps.graph.invoke(input, runConfig(caseId, options));
  if (options.oneStep !== true) await driveCase(deps, caseId, options);
}

/** Goes on until there is nothing to do without a human. Throws what the phase threw; `checkpoint_unreadable` when no step is saved. */
export async function driveCase(deps: Deps, caseId: CaseId, options: DriveOptions): Promise<void> {
  const config = runConfig(caseId, options);
  await mendSteps(deps, caseId, config);
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = await nextInput(deps, caseId, options);
    if (next === "nothing") return;
    await deps.graph.invoke(next, config);
    if (options.oneStep === true) return;
  }
}

/**
 * Once delivered, a case stands in its rows, and its steps can be laid again from them. So a thread that cannot be read, or that a jump
 * or an old checkpoint has led astray, keeps nobody from deciding and no approved refund from being executed.
 */
async function mendSteps(
  { graph, cases, forgetSteps }: Deps,
  caseId: CaseId,
  config: ReturnType<typeof runConfig>,
): Promise<void> {
  const row = await cases.find(caseId);
  if (row === null || hasEnded(row.status) || !isDelivered(row)) return;
  const [task, second] = (await savedState(graph, caseId).catch(() => null))?.tasks ?? [];
  if (task !== undefined && second === undefined && AFTER_DELIVERY.includes(task.name)) return;
  await forgetSteps(caseId);
  await graph.invoke({ question: row.question, language: row.language }, config);
}

async function nextInput(
  { graph, approvals, cases }: Deps,
  caseId: CaseId,
  options: DriveOptions,
): Promise<GraphInput | "nothing"> {
  const row = await cases.find(caseId);
  const saved = await savedState(graph, caseId).catch((error: unknown) => {
    // An ended case whose steps are gone has nothing left to do. With its steps, a crash right after the end may have left its record unwritten.
    if (row !== null && hasEnded(row.status)) return null;
    throw error;
  });
  if (saved === null) return "nothing";
  const [interrupt, second] = saved.tasks.flatMap((task) => task.interrupts);
  if (second !== undefined) throw new AftersalesError("checkpoint_unreadable");
  if (interrupt !== undefined) {
    const approval = await approvals.latest(caseId);
    if (approval === null || isOpen(approval) || interrupt.id === undefined) return "nothing";
    const answer = { decision: "continue", digest: approval.digest, by: options.caller.user };
    return new Command({ resume: { [interrupt.id]: answer } });
  }
  if (saved.next.length === 0) return "nothing";
  return saved.next.includes("settle") && !options.settle ? "nothing" : null;
}

/** The id of the one question that waits, or null; also null when the saved steps cannot be read, which keeps nobody from looking. */
export async function waitingInterrupt(graph: SupportGraph, caseId: CaseId): Promise<string | null> {
  const saved = await savedState(graph, caseId).catch(() => null);
  return saved?.tasks.flatMap((task) => task.interrupts)[0]?.id ?? null;
}

async function savedState(graph: SupportGraph, caseId: CaseId) {
  let saved: Awaited<ReturnType<SupportGraph["getState"]>>;
  try {
    saved = await graph.getState({ configurable: { thread_id: caseId } });
  } catch (error) {
    throw new AftersalesError("checkpoint_unreadable", {}, { cause: error });
  }
  if (saved.createdAt === undefined) throw new AftersalesError("checkpoint_unreadable");
  return saved;
}
