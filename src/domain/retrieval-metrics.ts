/** Owns the measures of a ranking. `ranked` is the page of each passage shown, best first; a page may stand there more than once. */

/** Share of the pages that answer the question among the first k passages, from 0 to 1 [Manning et al., Introduction to IR, 8.3]. */
export function recallAt(k: number, ranked: readonly string[], pages: readonly string[]): number {
  if (pages.length === 0) return 0;
  const shown = new Set(ranked.slice(0, k));
  return pages.filter((page) => shown.has(page)).length / pages.length;
}

/** 1 / place of the first passage of an answering page among the first k, 0 when there is none [Voorhees, TREC-8 QA track]. */
export function reciprocalRankAt(k: number, ranked: readonly string[], pages: readonly string[]): number {
  const place = ranked.slice(0, k).findIndex((page) => pages.includes(page));
  return place < 0 ? 0 : 1 / (place + 1);
}

/** The mean to four digits, null of nothing. */
export function meanOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 1e4) / 1e4;
}
