/** Owns the gate: the only way from a model's wish to a tool. Every call gets exactly one answer, whatever it looks like. */
import { AftersalesError, type ErrorCode, toolError } from "../domain/errors.js";
import type { Role } from "../domain/identity.js";
import { LIMITS } from "../domain/limits.js";
import type { Applicant, Budget, RawToolCall } from "../domain/ports.js";
import { isPlainObject } from "../domain/strict-json.js";
import { isModelTool } from "./allowlist.js";
import {
  deadlineOf,
  fingerprintOf,
  normaliseArguments,
  refuseArguments,
  refuseForeignOrder,
  refuseMalformed,
  refuseRepeated,
  refuseUngranted,
  waitFor,
} from "./guard.js";
import type { ToolRegistry } from "./registry.js";
import type { Tool, ToolContext, ToolOutcome } from "./tool.js";

/** A call as it is kept: with an id that is unique in the case, and the arguments that were checked. */
export type AnsweredCall = {
  id: string;
  name: string;
  args: Record<string, unknown>;
  outcome: Exclude<ToolOutcome, { kind: "cancelled" }>;
  fingerprint: string | null;
  durationMs: number;
};

export type DispatchInput = {
  calls: readonly RawToolCall[];
  context: ToolContext;
  role: Role;
  takenIds: ReadonlySet<string>;
  earlierFingerprints: readonly string[];
  signal: AbortSignal;
  /** Milliseconds left for the phase: one deadline, asked again before every call and every second try. */
  remainingMs: () => number;
};

export type Dispatch = (input: DispatchInput) => Promise<AnsweredCall[]>;

type Deps = {
  registryFor: (applicant: Applicant) => Promise<ToolRegistry>;
  budget: Budget;
  newId: () => string;
  nowMs: () => number;
};

/**
 * Charge → form → name → arguments → grant → order → repetition → deadline → run → at most one retry of a read.
 * All calls of a turn are charged in one transaction before any runs, and stay charged whatever follows.
 * Throws when the case's signal is aborted: a cancelled call is never shown to a model.
 */
export function createDispatch({ registryFor, budget, newId, nowMs }: Deps): Dispatch {
  return async (input) => {
    const tools = await registryFor(input.context.applicant);
    const granted = await budget.charge(input.context.caseId, "tool", input.calls.length);
    const taken = new Set(input.takenIds);
    const fingerprints = [...input.earlierFingerprints];
    const admitted = input.calls.map((call, position) => {
      const malformed = refuseMalformed(call, position, taken);
      const id = malformed === "call_id_not_unique" || call.id === undefined ? newId() : call.id;
      taken.add(id);
      const args = isPlainObject(call.args) ? normaliseArguments(call.args) : {};
      const checked =
        position >= granted ? refused("tool_budget_exhausted") : admit(call.name, args, malformed, input, tools);
      if (!("tool" in checked))
        return { id, name: call.name.slice(0, LIMITS.toolNameChars), args, checked, fingerprint: null };
      const fingerprint = fingerprintOf(call.name, args);
      const repeated = refuseRepeated(fingerprint, fingerprints);
      fingerprints.push(fingerprint);
      return { id, name: call.name, args, checked: repeated === null ? checked : refused(repeated), fingerprint };
    });
    return Promise.all(
      admitted.map(async ({ checked, ...call }) => {
        const started = nowMs();
        const outcome = "tool" in checked ? await run(checked.tool, call.args, input) : checked;
        if (outcome.kind === "cancelled") throw new AftersalesError("cancelled");
        return { ...call, outcome, durationMs: Math.round(nowMs() - started) };
      }),
    );
  };

  async function run(tool: Tool, args: Record<string, unknown>, input: DispatchInput): Promise<ToolOutcome> {
    const once = async (): Promise<ToolOutcome> => {
      input.signal.throwIfAborted();
      const left = deadlineOf(nowMs, input.remainingMs);
      if (left() <= 0) return refused("tool_timeout");
      const outcome = await waitFor(attempt(tool, args, input, left), refused("tool_timeout"), left(), input.signal);
      input.signal.throwIfAborted();
      return outcome;
    };
    const first = await once();
    const again = tool.isRead && first.kind === "error" && first.error.category === "transient";
    return again ? once() : first;
  }
}

function refused(code: ErrorCode): { kind: "error"; error: ReturnType<typeof toolError> } {
  return { kind: "error", error: toolError(code) };
}

function admit(
  name: string,
  args: Record<string, unknown>,
  malformed: ErrorCode | null,
  input: DispatchInput,
  tools: ToolRegistry,
): { tool: Tool } | ReturnType<typeof refused> {
  if (malformed !== null) return refused(malformed);
  const tool = isModelTool(name) ? tools.get(name) : undefined;
  if (tool === undefined) return refused("tool_not_allowed");
  const code =
    refuseArguments(args, tool.schema) ??
    refuseUngranted(input.role, tool.name) ??
    refuseForeignOrder(args, input.context);
  return code === null ? { tool } : refused(code);
}

/** Whatever a tool throws, the model reads one of our sentences; the cause goes to the event log. */
async function attempt(
  tool: Tool,
  args: Record<string, unknown>,
  input: DispatchInput,
  remainingMs: () => number,
): Promise<ToolOutcome> {
  try {
    return await tool.run(args, input.context, { signal: input.signal, remainingMs });
  } catch (error) {
    input.signal.throwIfAborted();
    if (error instanceof AftersalesError) {
      // A changed contract or a lost lease is no answer to a call: the whole case has to stop.
      if (error.code === "mcp_contract_changed" || error.code === "lease_lost") throw error;
      const cause = error.cause === undefined ? {} : { cause: causeOf(error.cause) };
      return { kind: "error", error: toolError(error.code), ...cause };
    }
    return { ...refused("tool_failed"), cause: causeOf(error) };
  }
}

function causeOf(error: unknown): string {
  return error instanceof Error ? error.message : typeof error;
}
