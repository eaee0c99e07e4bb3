/** Owns choosing a tool for a request by nothing but the tools' descriptions: one mechanism for every tool and both languages. */
import { findOrderIds, normaliseText } from "../domain/order-ids.js";
import { inverseFrequency } from "./coverage.js";
import { createSpelling, type Spelling } from "./spelling.js";
import { groupTerm, type Stretch, type Vocabulary, wordTerms } from "./vocabulary.js";

export type DescribedTool = { name: string; description: string };

/** `chosen` holds one tool, several that are too near to tell apart, or none that speaks of the request at all. */
export type Routing = { chosen: string[]; scores: { name: string; score: number }[] };
export type ToolRouter = (request: string) => Routing;

/** BM25's saturation; descriptions are compared by what they say, so that their length counts little. */
const K = 1.2;
const B = 0.2;
/** What a tool is for counts fully, what it returns less; what a sibling is said to be for, and what this one is not for, in between. */
const WEIGHTS = { purpose: 1, returns: 0.3, named: 0.5, boundary: 0.8 };
/** Words beside a group that holds them: the notion counts, its wording a little. */
const WORD_WEIGHT = 0.3;
/** A second tool within this share of the best makes the choice ambiguous. */
const NEAR = 0.95;

/** Numbers that name one thing, and the word that stands for any number of that kind: an example in a description speaks for them all. */
const KINDS: readonly [RegExp, string][] = [
  [/\b[A-Z_]+:p\d{2}:(?:en|zh):\d+/g, "anypassageid"],
  [/\bT-[0-9a-f]{16}\b/g, "anyticketnumber"],
  [/\b[A-Z]{2,12}-\d{2}\b/g, "anyproductcode"],
];

/** Names of fields and of tools describe data, not requests. */
const IDENTIFIER = /[a-z]+(?:_[a-z]+)+/g;

type Counts = Map<string, number>;

/** Each description in its four parts; one without parts, as people write them in a hurry, is all purpose. */
export function createToolRouter(tools: readonly DescribedTool[], vocabulary: Vocabulary): ToolRouter {
  const names = new Set(tools.map(({ name }) => name));
  const positive = new Map<string, Counts>(tools.map(({ name }) => [name, new Map()]));
  const negative = new Map<string, Counts>(tools.map(({ name }) => [name, new Map()]));
  for (const { name, description } of tools) {
    const { purpose, boundary, returns } = partsOf(description);
    add(positive.get(name), terms(returns, vocabulary), WEIGHTS.returns);
    const own = terms(purpose, vocabulary);
    add(positive.get(name), own, WEIGHTS.purpose);
    for (const clause of boundary.split(/[.;:](?:\s|$)/)) {
      const siblings = (clause.match(IDENTIFIER) ?? []).filter((word) => names.has(word));
      // A boundary tells by what differs: words that the tool uses of itself say nothing there.
      const said = new Map([...terms(clause, vocabulary)].filter(([term]) => !own.has(term)));
      add(negative.get(name), said, WEIGHTS.boundary);
      for (const sibling of siblings) add(positive.get(sibling), said, WEIGHTS.named / siblings.length);
    }
  }
  const lengths = new Map([...positive].map(([name, counts]) => [name, sum(counts)]));
  const mean = sum(lengths) / Math.max(1, tools.length);
  const idf = (term: string): number => {
    const holding = [...positive.values()].filter((counts) => (counts.get(term) ?? 0) > 0).length;
    return holding === 0 ? 0 : inverseFrequency(holding, tools.length);
  };
  const spelling = createSpelling(new Map([...vocabulary.englishWords()].map((word) => [word, 0])));
  return (request) => {
    const wanted = requestTerms(corrected(request, spelling), vocabulary);
    const asked = [...wanted].map(([term, weight]): [string, number] => [term, weight * idf(term)]);
    const scores = tools.map(({ name }) => {
      const length = 1 - B + (B * (lengths.get(name) ?? 0)) / mean;
      const part = (counts: Counts | undefined, term: string): number => {
        const count = counts?.get(term) ?? 0;
        return (count * (K + 1)) / (count + K * length);
      };
      const score = asked.reduce(
        (total, [term, weight]) => total + weight * (part(positive.get(name), term) - part(negative.get(name), term)),
        0,
      );
      return { name, score };
    });
    scores.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
    const best = scores[0]?.score ?? 0;
    return {
      chosen: best <= 0 ? [] : scores.filter(({ score }) => score >= best * NEAR).map(({ name }) => name),
      scores,
    };
  };
}

function partsOf(description: string): { purpose: string; boundary: string; returns: string } {
  const [head = "", ...rest] = description.split(/\bWHEN NOT TO USE:/);
  const [boundary = "", ...returns] = rest.join(" ").split(/\bRETURNS:/);
  return { purpose: head.replace(/\bWHEN TO USE:/, " "), boundary, returns: returns.join(" ") };
}

function terms(text: string, vocabulary: Vocabulary): Counts {
  const counts: Counts = new Map();
  for (const stretch of vocabulary.read(withKinds(withoutIdentifiers(text))))
    for (const [term, weight] of termsOf(stretch, vocabulary)) counts.set(term, (counts.get(term) ?? 0) + weight);
  return counts;
}

/** A term asked for twice is asked for. */
function requestTerms(text: string, vocabulary: Vocabulary): Counts {
  const result: Counts = new Map();
  for (const stretch of vocabulary.read(withKinds(text)))
    for (const [term, weight] of termsOf(stretch, vocabulary))
      result.set(term, Math.max(weight, result.get(term) ?? 0));
  return result;
}

function termsOf(stretch: Stretch, vocabulary: Vocabulary): [string, number][] {
  const words = wordTerms(stretch);
  const groups = stretch.groups.filter((group) => !vocabulary.isLeftOpen(group));
  if (groups.length === 0) return words.map((term) => [term, 1]);
  return [
    ...groups.map((group): [string, number] => [groupTerm(group), 1 / groups.length]),
    ...words.map((term): [string, number] => [term, WORD_WEIGHT]),
  ];
}

function withKinds(text: string): string {
  const plain = normaliseText(text);
  const withoutOrders = findOrderIds(plain).reduce(
    (result, id) => result.replaceAll(new RegExp(id.replace("-", "."), "gi"), " anyordernumber "),
    plain,
  );
  return KINDS.reduce((result, [shape, kind]) => result.replace(shape, ` ${kind} `), withoutOrders);
}

function corrected(text: string, spelling: Spelling): string {
  return text.replace(/\b[a-z]+\b/g, (word) => spelling.correct(word) ?? word);
}

function withoutIdentifiers(text: string): string {
  return text.replace(IDENTIFIER, " ");
}

function add(target: Counts | undefined, counts: Counts, weight: number): void {
  for (const [term, count] of counts) target?.set(term, (target.get(term) ?? 0) + count * weight);
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
