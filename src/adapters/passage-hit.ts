/** Owns one passage found for a question, and the order in which found passages stand. */
import type { Passage } from "../domain/policy-document.js";

/** A passage with its score and the terms of the question that stand in it. */
export type Hit = { passage: Passage; score: number; terms: ReadonlySet<string> };

/** Best first; equal scores in the order of ids, so that every start of the program finds the same. */
export function byScoreThenId(a: Hit, b: Hit): number {
  return b.score - a.score || (a.passage.id < b.passage.id ? -1 : 1);
}
