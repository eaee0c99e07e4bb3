/** Owns judging whether the documents speak of what a question asks. Being the best match is not enough: any question has one. */
import type { Unit } from "./query-reading.js";

/**
 * Share of a question's weight that one passage must speak of. Calibrated on the development part of the retrieval evaluation; the held-out
 * part reports what it is worth.
 */
export const COVERED_SHARE = 0.4;

export type Corpus = {
  /** Passages in the scope. */
  size: number;
  /** In how many passages a term stands. */
  frequency(term: string): number;
};

/** The highest share of the question's weight that one of the passages speaks of, from 0 to 1; 0 for a question without a topic. */
export function coverageOf(units: readonly Unit[], passages: readonly ReadonlySet<string>[], corpus: Corpus): number {
  const weighed = units.map(({ terms, share }) => ({
    terms,
    weight: share * Math.min(...terms.map((term) => inverseFrequency(corpus.frequency(term), corpus.size))),
  }));
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return 0;
  const spoken = passages.map((held) =>
    weighed.reduce((sum, { terms, weight }) => sum + (terms.some((term) => held.has(term)) ? weight : 0), 0),
  );
  return Math.max(0, ...spoken) / total;
}

/** The inverse document frequency of BM25, ln(1 + (N − n + 0.5) / (n + 0.5)) [Robertson, Zaragoza 2009]; a word nobody knows weighs most. */
export function inverseFrequency(frequency: number, size: number): number {
  return Math.log(1 + (size - frequency + 0.5) / (frequency + 0.5));
}
