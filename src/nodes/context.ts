/** Owns what a model is shown: chosen records and passages, whole call-and-answer groups, always within 36,000 characters. */

import { AftersalesError } from "../domain/errors.js";
import { type Fact, type PassageRef, shownPassages } from "../domain/evidence.js";
import { LIMITS } from "../domain/limits.js";
import type { Passage } from "../domain/policy-document.js";
import type { Knowledge, KnowledgeScope, ModelTurn } from "../domain/ports.js";
import type { CallAnswer, Turn } from "./case-state.js";

/** Room kept free of history, so that the newest results always fit. */
const SHORTENED = "…";

export type PassageTexts = ReadonlyMap<string, Passage>;

/** Reads passages again by id, under the same check as searching. A passage whose text has changed since is left out. */
export async function readPassages(
  knowledge: Knowledge,
  scope: KnowledgeScope,
  refs: readonly PassageRef[],
): Promise<PassageTexts> {
  const read = await Promise.all(refs.map((ref) => knowledge.read(scope, ref.id)));
  const same = read.filter((passage, index) => passage?.textHash === refs[index]?.textHash);
  return new Map(same.flatMap((passage) => (passage === null ? [] : [[passage.id, passage]])));
}

export function passageView(passage: Passage): Record<string, unknown> {
  const { id, document, page, version, title, heading, body } = passage;
  return { id, document, page, version, title, heading, body };
}

export function factView(fact: Fact): Record<string, unknown> {
  return { source_id: fact.sourceId, data: JSON.parse(fact.data) };
}

/** Facts and passages for the answering and reviewing steps: passages as chosen, then the newest facts that still fit. */
export function evidencePayload(
  base: Record<string, unknown>,
  facts: readonly Fact[],
  refs: readonly PassageRef[],
  texts: PassageTexts,
): { payload: Record<string, unknown>; shownFacts: Fact[]; shownPassages: Passage[] } {
  const passages = shownPassages(refs).flatMap((ref) => texts.get(ref.id) ?? []);
  const newest = [...facts].sort((a, b) => b.sequence - a.sequence);
  const build = (count: number): Record<string, unknown> => ({
    ...base,
    facts: newest.slice(0, count).map(factView),
    evidence: passages.map(passageView),
  });
  for (let count = newest.length; count >= 0; count -= 1) {
    const payload = build(count);
    if (JSON.stringify(payload).length <= LIMITS.payloadChars) {
      return { payload, shownFacts: newest.slice(0, count), shownPassages: passages };
    }
  }
  throw new AftersalesError("context_too_large");
}

/**
 * The payload and history of an investigation turn. Groups are kept newest first and dropped only whole; what a dropped group had
 * found stays visible in the payload, the newest first where room is short. If even the newest group is too large, its results are shortened.
 */
export function investigationContext(input: {
  base: Record<string, unknown>;
  transcript: readonly Turn[];
  facts: readonly Fact[];
  refs: readonly PassageRef[];
  texts: PassageTexts;
}): { payload: Record<string, unknown>; turns: ModelTurn[] } {
  const { base, transcript, facts, refs, texts } = input;
  const bySequence = [...facts].sort((a, b) => a.sequence - b.sequence);
  for (let kept = transcript.length; kept >= 0; kept -= 1) {
    const groups = transcript.slice(transcript.length - kept);
    const turns = groups.map((turn) => renderTurn(turn, facts, texts));
    const inHistory = new Set(groups.flatMap(({ calls }) => calls.flatMap(({ answer }) => referencesOf(answer))));
    const payload = {
      ...base,
      facts: bySequence.filter((fact) => !inHistory.has(fact.sourceId)).map(factView),
      evidence: shownPassages(refs)
        .filter((ref) => !inHistory.has(ref.id))
        .flatMap((ref) => texts.get(ref.id) ?? [])
        .map(passageView),
    };
    const size = JSON.stringify(payload).length + JSON.stringify(turns).length;
    if (size <= LIMITS.payloadChars) return { payload, turns };
    if (kept === 1) return withoutOldest(payload, turns) ?? shortened(base, turns);
  }
  throw new AftersalesError("context_too_large");
}

/** Leaves out passages from the end of their order, then the oldest records, until the rest fits beside `turns`; null when nothing helps. */
function withoutOldest<Payload extends { facts: unknown[]; evidence: unknown[] }>(
  payload: Payload,
  turns: ModelTurn[],
): { payload: Payload; turns: ModelTurn[] } | null {
  let { facts, evidence } = payload;
  while (facts.length + evidence.length > 0) {
    if (evidence.length > 0) evidence = evidence.slice(0, -1);
    else facts = facts.slice(1);
    const smaller = { ...payload, facts, evidence };
    if (JSON.stringify(smaller).length + JSON.stringify(turns).length <= LIMITS.payloadChars) {
      return { payload: smaller, turns };
    }
  }
  return null;
}

/** Nothing but the newest group fits, and not even that: each of its results gets an equal share of the room. */
function shortened(
  base: Record<string, unknown>,
  turns: ModelTurn[],
): { payload: Record<string, unknown>; turns: ModelTurn[] } {
  const payload = { ...base, facts: [], evidence: [] };
  const empty = turns.map((turn) => ({ ...turn, answers: turn.answers.map((answer) => ({ ...answer, content: "" })) }));
  const room = LIMITS.payloadChars - JSON.stringify(payload).length - JSON.stringify(empty).length;
  const count = turns.reduce((sum, turn) => sum + turn.answers.length, 0);
  // Escaping can double a text's length inside JSON.
  const share = Math.floor(room / Math.max(1, count) / 2) - SHORTENED.length;
  if (share < 0) throw new AftersalesError("context_too_large");
  const cut = (content: string): string => (content.length <= share ? content : content.slice(0, share) + SHORTENED);
  return {
    payload,
    turns: turns.map((turn) => ({
      ...turn,
      answers: turn.answers.map((answer) => ({ ...answer, content: cut(answer.content) })),
    })),
  };
}

function referencesOf(answer: CallAnswer): string[] {
  if (answer.kind === "fact") return [answer.sourceId];
  return answer.kind === "passages" ? answer.ids : [];
}

function renderTurn(turn: Turn, facts: readonly Fact[], texts: PassageTexts): ModelTurn {
  return {
    text: turn.text,
    calls: turn.calls.map(({ id, name, args }) => ({ id, name, args: asObject(args) })),
    answers: turn.calls.map(({ id, name, answer }) => ({ id, name, ...renderAnswer(answer, facts, texts) })),
  };
}

function renderAnswer(
  answer: CallAnswer,
  facts: readonly Fact[],
  texts: PassageTexts,
): { ok: boolean; content: string } {
  if (answer.kind === "text") return { ok: answer.ok, content: answer.content };
  if (answer.kind === "fact") {
    const fact = facts.find(({ sourceId }) => sourceId === answer.sourceId);
    return { ok: true, content: JSON.stringify({ ok: true, result: fact === undefined ? {} : factView(fact) }) };
  }
  const passages = answer.ids.flatMap((id) => texts.get(id) ?? []).map(passageView);
  const covered = answer.covered === null ? {} : { covered: answer.covered };
  return { ok: true, content: JSON.stringify({ ok: true, result: { passages, ...covered } }) };
}

function asObject(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
