/** Owns carrying out what a turn asked for, through the gate, and adding what it brought to the case. */

import { toolError } from "../domain/errors.js";
import { addFact, addPassages, type OpenPoint } from "../domain/evidence.js";
import type { RawToolCall } from "../domain/ports.js";
import { sourceIdOf } from "../tools/commerce-reads.js";
import type { AnsweredCall, Dispatch } from "../tools/dispatch.js";
import type { CallAnswer, InvestigateState, PendingCall } from "./case-state.js";
import type { Node, Unit } from "./unit.js";

type Deps = { dispatch: Dispatch };
type Findings = Pick<InvestigateState, "facts" | "evidence" | "quote" | "openPoints">;
type Update = Findings & Pick<InvestigateState, "transcript" | "pending" | "fingerprints" | "finished">;

export function createAct({ dispatch }: Deps): Node<InvestigateState, Update> {
  return async (state, unit) => {
    const applicant = unit.applicant();
    const answered = await dispatch({
      calls: state.pending.map(rawCall),
      context: {
        caseId: unit.caseId,
        applicant,
        language: state.language,
        intent: state.brief?.intent ?? "policy",
        orderId: state.brief?.orderId ?? null,
      },
      // The case acts for its applicant, whoever drives the run; only customers can have opened it.
      role: "customer",
      takenIds: new Set(state.transcript.flatMap(({ calls }) => calls.map(({ id }) => id))),
      earlierFingerprints: state.fingerprints,
      signal: unit.signal,
      remainingMs: unit.remainingMs,
    });
    let findings: Findings = state;
    const calls = answered.map((call) => {
      const { next, answer } = take(findings, call);
      findings = next;
      noteCall(unit, call);
      return { id: call.id, name: call.name, args: JSON.stringify(call.args), answer };
    });
    const outOfBudget = answered.some(
      ({ outcome }) => outcome.kind === "error" && outcome.error.code === "tool_budget_exhausted",
    );
    return {
      facts: findings.facts,
      evidence: findings.evidence,
      quote: findings.quote,
      openPoints: findings.openPoints,
      transcript: [...state.transcript, { text: state.said, calls }],
      pending: [],
      fingerprints: [...state.fingerprints, ...answered.flatMap(({ fingerprint }) => fingerprint ?? [])],
      finished: outOfBudget,
    };
  };
}

function rawCall({ id, name, args, malformed }: PendingCall): RawToolCall {
  try {
    return { id: id ?? undefined, name, args: JSON.parse(args), malformed };
  } catch {
    return { id: id ?? undefined, name, args: {}, malformed: true };
  }
}

/** One call's answer, and what it adds. A search that would overfill the case changes nothing and says so. */
function take(findings: Findings, { name, args, outcome }: AnsweredCall): { next: Findings; answer: CallAnswer } {
  const source = sourceIdOf(name, args);
  if (outcome.kind === "error") {
    const { category, code } = outcome.error;
    // A spent budget is one point, however many calls it cut off: a later step has to have room for what was found.
    const about = code === "tool_budget_exhausted" ? "tools" : source.slice(0, 120);
    const point: OpenPoint = { source: about, category, code };
    const openPoints =
      category === "validation" ? findings.openPoints : [...without(findings.openPoints, point.source), point];
    const content = JSON.stringify({ ok: false, error: outcome.error });
    return { next: { ...findings, openPoints }, answer: { kind: "text", ok: false, content } };
  }
  const { gains, result } = outcome;
  let facts = findings.facts;
  for (const fact of gains.facts ?? []) facts = addFact(facts, fact.sourceId, fact.data);
  const { list = [], mandatory = false } = gains.passages ?? {};
  const evidence = addPassages(findings.evidence, list, { mandatory });
  if (evidence === null) {
    const content = JSON.stringify({ ok: false, error: toolError("evidence_limit") });
    return { next: findings, answer: { kind: "text", ok: false, content } };
  }
  const point = source.slice(0, 120);
  const settled = without(findings.openPoints, point);
  const notCovered: OpenPoint = { source: point, category: "business", code: "not_covered" };
  const next = {
    facts,
    evidence,
    quote: gains.quote ?? findings.quote,
    // What was found is not yet an answer: the later steps have to know that the documents do not seem to hold one.
    openPoints: result.covered === false ? [...settled, notCovered] : settled,
  };
  const [fact] = (gains.facts ?? []).filter(({ sourceId }) => sourceId === source);
  if (fact !== undefined) return { next, answer: { kind: "fact", sourceId: source } };
  if (gains.passages !== undefined) {
    const covered = typeof result.covered === "boolean" ? result.covered : null;
    return { next, answer: { kind: "passages", ids: list.map(({ id }) => id), covered } };
  }
  return { next, answer: { kind: "text", ok: true, content: JSON.stringify({ ok: true, result }) } };
}

function without(points: readonly OpenPoint[], source: string): OpenPoint[] {
  return points.filter((point) => point.source !== source);
}

function noteCall(unit: Unit, { name, outcome, durationMs }: AnsweredCall): void {
  unit.note({
    phase: "investigate",
    tool: name,
    status: outcome.kind === "ok" ? "ok" : "refused",
    durationMs,
    ...(outcome.kind === "error" ? { code: outcome.error.code } : {}),
    ...(outcome.kind === "error" && outcome.cause !== undefined ? { cause: outcome.cause } : {}),
  });
}
