/** Owns reading a question: the terms to search for with their weights, and the units that a covered question's passages must speak of. */
import type { Spelling } from "./spelling.js";
import { characterPairs } from "./tokenize.js";
import { groupTerm, type Stretch, type Vocabulary, wordTerms } from "./vocabulary.js";

/**
 * One thing a question speaks of, named by its text. A passage speaks of it when it holds any of the terms. `share` scales its weight in
 * the coverage.
 */
export type Unit = { text: string; terms: readonly string[]; share: number };

export type ReadQuery = { weights: ReadonlyMap<string, number>; units: readonly Unit[] };

/** Shared out over the things a question speaks of: related groups speak up only where a question says little itself. */
const RELATED_WEIGHT = 1;
/** The words themselves count less than the notion they stand for: a document that says it otherwise is no worse. */
const WORD_WEIGHT = 0.5;
/** A Chinese word is about two characters. */
const CHARACTER_SHARE = 0.5;
/** A plain word of another language than the documents' cannot stand in them: it tells little about whether they speak of the matter. */
const FOREIGN_SHARE = 0.25;
/** Naming what the documents leave open outweighs the words around it. */
const LEFT_OPEN_SHARE = 3;

/** `script` is that of the documents. */
export function readQuery(
  query: string,
  script: Stretch["script"],
  vocabulary: Vocabulary,
  spelling: Spelling,
): ReadQuery {
  const stretches = vocabulary.read(withCorrections(query, spelling));
  const units = distinct(
    stretches.flatMap((stretch) => {
      const foreign = stretch.kind === "plain" && stretch.script !== script;
      return unitsOf(stretch, vocabulary).map((unit) =>
        foreign ? { ...unit, share: unit.share * FOREIGN_SHARE } : unit,
      );
    }),
  );
  const weights = new Map<string, number>();
  for (const stretch of stretches) {
    for (const group of stretch.groups) {
      for (const related of vocabulary.relatedTo(group))
        raise(weights, groupTerm(related), RELATED_WEIGHT / (1 + units.length));
    }
  }
  for (const stretch of stretches) {
    for (const group of stretch.groups) raise(weights, groupTerm(group), 1);
    for (const term of wordTerms(stretch)) raise(weights, term, stretch.kind === "grouped" ? WORD_WEIGHT : 1);
  }
  return { weights, units };
}

function withCorrections(query: string, spelling: Spelling): string {
  return query.replace(/[A-Za-z]+/g, (word) => spelling.correct(word.toLowerCase()) ?? word);
}

function raise(weights: Map<string, number>, term: string, weight: number): void {
  weights.set(term, Math.max(weight, weights.get(term) ?? 0));
}

function unitsOf(stretch: Stretch, vocabulary: Vocabulary): Unit[] {
  if (stretch.kind === "filler" || stretch.kind === "reference") return [];
  if (stretch.kind === "grouped") {
    const share = stretch.groups.some(vocabulary.isLeftOpen) ? LEFT_OPEN_SHARE : 1;
    return [{ text: stretch.groups.join(" "), terms: stretch.groups.map(groupTerm), share }];
  }
  if (stretch.script === "latin") return [{ text: stretch.text, terms: wordTerms(stretch), share: 1 }];
  const pairs = characterPairs(stretch.text);
  return [...stretch.text].map((character, index, all) => ({
    text: character,
    terms: all.length === 1 ? [character] : pairs.slice(Math.max(0, index - 1), index + 1),
    share: CHARACTER_SHARE,
  }));
}

function distinct(units: readonly Unit[]): Unit[] {
  return [...new Map(units.map((unit) => [`${unit.text} ${unit.terms.join(" ")}`, unit])).values()];
}
