/** Owns what a case has found out: facts and passages, kept small and in an explicit order, and the choice of what a model is shown. */
import { z } from "zod";
import { ErrorCategory } from "./commerce-wire.js";
import { PassageId, Sha256Hex } from "./ids.js";
import { LIMITS } from "./limits.js";

/** A passage is kept by reference; its text is read again from the documents, under the same applicability check. */
export const PassageRef = z.strictObject({
  id: PassageId,
  version: z.string(),
  textHash: Sha256Hex,
  sequence: z.int().min(0),
  mandatory: z.boolean(),
});
export type PassageRef = z.infer<typeof PassageRef>;

/** A record read for this case. `data` is JSON text: as an object it could come back from a checkpoint as something else. */
export const Fact = z.strictObject({ sourceId: z.string().max(120), sequence: z.int().min(0), data: z.string() });
export type Fact = z.infer<typeof Fact>;

/** Something that could not be found out; its category decides how the answer may speak of it. */
export const OpenPoint = z.strictObject({ source: z.string().max(120), category: ErrorCategory, code: z.string() });
export type OpenPoint = z.infer<typeof OpenPoint>;

type NewPassage = { id: string; version: string; textHash: Sha256Hex };

/**
 * Adds passages, newest last. Mandatory ones have reserved room and are never refused; the others are refused as a whole
 * (null, nothing changed) when the case would keep more than 32.
 */
export function addPassages(
  kept: readonly PassageRef[],
  added: readonly NewPassage[],
  options: { mandatory: boolean },
): PassageRef[] | null {
  const known = new Map(kept.map((ref) => [ref.id, ref]));
  let sequence = nextSequence(kept);
  // A search brings its best first: the best becomes the newest, so that it is shown first and dropped last.
  for (const passage of options.mandatory ? added : added.toReversed()) {
    const before = known.get(passage.id);
    known.set(passage.id, {
      id: passage.id,
      version: passage.version,
      textHash: passage.textHash,
      sequence: sequence++,
      mandatory: options.mandatory || (before?.mandatory ?? false),
    });
  }
  const all = [...known.values()];
  if (all.length <= LIMITS.passagesKept) return all;
  if (!options.mandatory) return null;
  const optional = all.filter((ref) => !ref.mandatory).sort((a, b) => b.sequence - a.sequence);
  const mandatory = all.filter((ref) => ref.mandatory);
  return [...mandatory, ...optional.slice(0, LIMITS.passagesKept - mandatory.length)];
}

/** The passages a model sees: mandatory ones first, then the newest, 12 at most. Depends on `sequence` only, never on storage order. */
export function shownPassages(kept: readonly PassageRef[]): PassageRef[] {
  const byNewest = [...kept].sort((a, b) => b.sequence - a.sequence);
  const ordered = [...byNewest.filter((ref) => ref.mandatory).reverse(), ...byNewest.filter((ref) => !ref.mandatory)];
  return ordered.slice(0, LIMITS.passagesShown);
}

/** Records facts under their source id; a newer reading of the same source replaces the older one. */
export function addFact(facts: readonly Fact[], sourceId: string, data: unknown): Fact[] {
  const others = facts.filter((fact) => fact.sourceId !== sourceId);
  return [...others, { sourceId, sequence: nextSequence(facts), data: JSON.stringify(data) }];
}

function nextSequence(items: readonly { sequence: number }[]): number {
  return items.reduce((highest, item) => Math.max(highest, item.sequence), -1) + 1;
}

/** `RETURNS:p02:zh:0` belongs to `RETURNS:p02`. */
export function pageOf(passageId: string): string {
  return passageId.split(":").slice(0, 2).join(":");
}
