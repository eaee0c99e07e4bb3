/** Owns one charged model request and, for the steps that return JSON, its one charged repeat when the reply breaks the contract. */
import type { Contract } from "../domain/contracts.js";
import { AftersalesError, type ErrorCode } from "../domain/errors.js";
import type { Budget, ChatModels, ModelReply, ModelRequest } from "../domain/ports.js";
import type { Unit } from "./unit.js";

export type AskDeps = { models: ChatModels; budget: Budget; nowMs: () => number };

/** Charges before sending: a request that leaves is paid for, whatever comes back. Throws `model_budget_exhausted`. */
export async function askModel(
  { models, budget, nowMs }: AskDeps,
  request: ModelRequest,
  unit: Unit,
): Promise<ModelReply> {
  if ((await budget.charge(unit.caseId, "model", 1)) < 1) throw new AftersalesError("model_budget_exhausted");
  const started = nowMs();
  const reply = await models.ask(request, unit.signal);
  unit.note({
    phase: request.step,
    status: "model_replied",
    durationMs: Math.round(nowMs() - started),
    ...(reply.usage ?? {}),
  });
  return reply;
}

/** Asks for JSON and reads it with `parse`; a reply that breaks the contract is asked for once more. Returns the second defect. */
export async function askForContract<T>(
  deps: AskDeps,
  request: ModelRequest,
  parse: (text: string) => Contract<T>,
  unit: Unit,
): Promise<{ ok: true; value: T } | { ok: false; code: ErrorCode }> {
  const first = parse((await askModel(deps, request, unit)).text);
  if (first.ok) return first;
  unit.note({ phase: request.step, status: "reply_refused", code: first.code });
  return parse((await askModel(deps, request, unit)).text);
}
