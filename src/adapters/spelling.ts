/** Owns forgiving light typing errors in English words. Only a word nobody knows is changed, and only into one that is near. */

/** Shorter words have too many neighbours. */
const SHORTEST = 5;
/** From this length on two errors are forgiven, below it one. */
const LONG = 8;

export type Spelling = {
  /** The known word meant, or null when the word is known, too short or near to none. */
  correct(word: string): string | null;
};

/** `frequency` counts in how many passages a word stands; between equally near words the more frequent is taken, then the first by alphabet. */
export function createSpelling(frequency: ReadonlyMap<string, number>): Spelling {
  const byInitial = new Map<string, string[]>();
  for (const word of frequency.keys()) {
    if (word.length < SHORTEST - 1 || !/^[a-z]+$/.test(word)) continue;
    const initial = word.charAt(0);
    const bucket = byInitial.get(initial) ?? [];
    byInitial.set(initial, bucket);
    bucket.push(word);
  }
  return {
    correct(word) {
      if (word.length < SHORTEST || frequency.has(word) || !/^[a-z]+$/.test(word)) return null;
      const allowed = word.length >= LONG ? 2 : 1;
      let best: { word: string; errors: number } | null = null;
      for (const candidate of byInitial.get(word.charAt(0)) ?? []) {
        if (Math.abs(candidate.length - word.length) > allowed) continue;
        const errors = typingErrors(word, candidate);
        if (errors > allowed || (best !== null && errors > best.errors)) continue;
        if (best === null || errors < best.errors || isPreferred(candidate, best.word, frequency)) {
          best = { word: candidate, errors };
        }
      }
      return best?.word ?? null;
    },
  };
}

function isPreferred(candidate: string, other: string, frequency: ReadonlyMap<string, number>): boolean {
  const difference = (frequency.get(candidate) ?? 0) - (frequency.get(other) ?? 0);
  return difference > 0 || (difference === 0 && candidate < other);
}

/** Missing, extra, wrong and swapped neighbouring letters: the restricted Damerau–Levenshtein distance. */
export function typingErrors(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
