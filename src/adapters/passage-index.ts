/** Owns ranking passages for a question: BM25 over words and word groups, with the engine minisearch. Built once, then only read. */
import MiniSearch from "minisearch";
import type { Passage } from "../domain/policy-document.js";
import { coverageOf } from "./coverage.js";
import { byScoreThenId, type Hit } from "./passage-hit.js";
import { readQuery, type Unit } from "./query-reading.js";
import { createSpelling } from "./spelling.js";
import { characterPairs, cutText } from "./tokenize.js";
import { groupTerm, type Vocabulary, wordTerms } from "./vocabulary.js";

export type PassageIndex = {
  /**
   * The best passages that share a term with the question, best first, equal scores in the order of ids: all down to the one with which
   * `pages` different pages are met, so that no other passage can be among that many best. And what the question is about.
   */
  rank(query: string, pages: number): { hits: Hit[]; units: readonly Unit[] };
  /** The share of the question's weight that the best of the hits speaks of, from 0 to 1. */
  coverage(units: readonly Unit[], hits: readonly Hit[]): number;
};

type Fields = { body: string; heading: string; title: string };
const FIELDS = ["body", "heading", "title"];
/** Headings and titles are short, which BM25 itself rewards; a title is the same for all pages of a document and tells them apart least. */
const BOOST = { body: 1, heading: 1, title: 0.5 };
/** BM25's saturation at its usual value; the paragraphs are of much the same length, so it corrects little; without the floor of BM25+. */
const BM25 = { k: 1.5, b: 0.5, d: 0 };
/**
 * A term in more than this share of the passages tells them apart by almost nothing (its weight is under ln 2) and takes most of a search's
 * time. It is left out where that matters: in a collection of some size, if the question has other words.
 */
const COMMON_SHARE = 0.5;
const SOME_SIZE = 100;
/** Sums of many small numbers differ in their last digits by the order of adding; six digits are the same everywhere. */
const SCORE_UNIT = 1e6;

/** The passages are of one language. */
export function createPassageIndex(passages: readonly Passage[], vocabulary: Vocabulary): PassageIndex {
  const script = passages[0]?.language === "zh" ? "han" : "latin";
  const engine = new MiniSearch<Fields & { id: number }>({
    fields: FIELDS,
    tokenize: (terms) => terms.split(" "),
    processTerm: (term) => term,
  });
  const termFrequency = new Map<string, number>();
  const wordFrequency = new Map<string, number>([...vocabulary.englishWords()].map((word) => [word, 0]));
  passages.forEach((passage, id) => {
    const { body, heading, title } = passage;
    const terms = { body: indexTerms(body), heading: indexTerms(heading), title: indexTerms(title) };
    countInto(termFrequency, Object.values(terms).flat());
    countInto(wordFrequency, wordsOf(`${title} ${heading} ${body}`));
    engine.add({ id, body: terms.body.join(" "), heading: terms.heading.join(" "), title: terms.title.join(" ") });
  });
  const spelling = createSpelling(wordFrequency);
  const corpus = { size: passages.length, frequency: (term: string) => termFrequency.get(term) ?? 0 };

  /** Words as they stand, with the groups they belong to. Chinese pairs go across words: no dictionary decides where one ends. */
  function indexTerms(text: string): string[] {
    const stretches = vocabulary.read(text);
    const pairs = cutText(text).flatMap((piece) => (piece.kind === "han" ? characterPairs(piece.text) : []));
    const latin = stretches.filter(({ script }) => script === "latin").flatMap(wordTerms);
    const groups = stretches.flatMap((stretch) => stretch.groups).filter((group) => !vocabulary.isLeftOpen(group));
    return [...groups.map(groupTerm), ...latin, ...pairs];
  }

  function tellingTerms(known: string[]): string[] {
    if (corpus.size < SOME_SIZE) return known;
    const telling = known.filter((term) => corpus.frequency(term) <= COMMON_SHARE * corpus.size);
    return telling.length > 0 ? telling : known;
  }

  return {
    rank(query, pages) {
      const { weights, units } = readQuery(query, script, vocabulary, spelling);
      const known = tellingTerms([...weights.keys()].filter((term) => corpus.frequency(term) > 0));
      if (known.length === 0) return { hits: [], units };
      const found = engine.search(known.join(" "), {
        boost: BOOST,
        bm25: BM25,
        boostTerm: (term) => weights.get(term) ?? 1,
      });
      const hits: Hit[] = [];
      const met = new Set<string>();
      let least = 0;
      for (const { id, score, terms } of found) {
        const passage = typeof id === "number" ? passages[id] : undefined;
        const rounded = Math.round(score * SCORE_UNIT) / SCORE_UNIT;
        if (rounded < least) break;
        if (passage === undefined) continue;
        hits.push({ passage, score: rounded, terms: new Set(terms) });
        if (met.size < pages && met.add(passage.page).size === pages) least = rounded;
      }
      return { hits: hits.sort(byScoreThenId), units };
    },
    coverage: (units, hits) =>
      coverageOf(
        units,
        hits.map(({ terms }) => terms),
        corpus,
      ),
  };
}

function countInto(counts: Map<string, number>, words: readonly string[]): void {
  for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
}

function wordsOf(text: string): string[] {
  return cutText(text).flatMap((piece) => (piece.kind === "word" ? [piece.text] : []));
}
