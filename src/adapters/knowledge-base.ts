/** Owns finding policy text. Applicability comes before relevance: what is not in force for a scope is in no index of that scope. */
import { LIMITS } from "../domain/limits.js";
import { isApplicable, type Passage, type PolicyDocument } from "../domain/policy-document.js";
import type { Knowledge, KnowledgeScope } from "../domain/ports.js";
import { COVERED_SHARE } from "./coverage.js";
import { byScoreThenId, type Hit } from "./passage-hit.js";
import type { PassageIndex } from "./passage-index.js";
import type { SynonymGroup } from "./synonyms.js";
import type { Vocabulary } from "./vocabulary.js";

/** So that one long page does not crowd out the others a question needs. */
const PASSAGES_PER_PAGE = 2;
/** What a page's second passage counts for against the first passage of another page. Chosen on the development questions. */
const SECOND_PASSAGE_WEIGHT = 0.5;

type Scoped = { passages: ReadonlyMap<string, Passage>; index: () => Promise<PassageIndex> };

export function createKnowledgeBase(deps: {
  documents: readonly PolicyDocument[];
  businessDate: string;
  /** Word groups, asked for with the first search; without them only the documents' own words are found. */
  synonyms?: () => readonly SynonymGroup[];
}): Knowledge {
  const { documents, businessDate } = deps;
  let vocabulary: Vocabulary | undefined;
  const scopes = new Map<string, Scoped>();

  /** The engine and the words are loaded with the first search. */
  async function buildIndex(passages: readonly Passage[]): Promise<PassageIndex> {
    const [{ createPassageIndex }, { createVocabulary }] = await Promise.all([
      import("./passage-index.js"),
      import("./vocabulary.js"),
    ]);
    vocabulary ??= createVocabulary(deps.synonyms?.() ?? []);
    return createPassageIndex(passages, vocabulary);
  }

  /** Made once per scope: its text does not change while the program runs. The index is built with the first search: reading takes none. */
  function scoped({ tenant, language }: KnowledgeScope): Scoped {
    const key = `${tenant}/${language}`;
    const known = scopes.get(key);
    if (known !== undefined) return known;
    const passages = documents
      .filter(({ header }) => isApplicable(header, tenant, businessDate))
      .flatMap(({ pages }) => pages.flatMap((page) => page.passages))
      .filter((passage) => passage.language === language);
    let index: Promise<PassageIndex> | undefined;
    const built = {
      passages: new Map(passages.map((passage) => [passage.id, passage])),
      index: () => {
        index ??= buildIndex(passages);
        return index;
      },
    };
    scopes.set(key, built);
    return built;
  }

  return {
    async search(scope, query) {
      const index = await scoped(scope).index();
      const { hits, units } = index.rank(query, LIMITS.searchResults);
      const shown = spreadOverPages(hits).slice(0, LIMITS.searchResults);
      return {
        passages: shown.map(({ passage, score }) => ({ ...passage, score })),
        covered: index.coverage(units, shown) >= COVERED_SHARE,
      };
    },
    async read(scope, passageId) {
      return scoped(scope).passages.get(passageId) ?? null;
    },
    async page(scope, pageId) {
      const document = documents.find(({ pages }) => pages.some(({ page }) => page === pageId));
      const passages = [...scoped(scope).passages.values()].filter((passage) => passage.page === pageId);
      return { passages, header: passages.length > 0 ? (document?.header ?? null) : null };
    },
  };
}

/** At most two passages of a page, the second one behind pages that answer almost as well: four places should hold several answers. */
function spreadOverPages(hits: readonly Hit[]): Hit[] {
  const perPage = new Map<string, number>();
  return hits
    .map((hit) => {
      const count = (perPage.get(hit.passage.page) ?? 0) + 1;
      perPage.set(hit.passage.page, count);
      return { hit: { ...hit, score: count === 1 ? hit.score : hit.score * SECOND_PASSAGE_WEIGHT }, count };
    })
    .filter(({ count }) => count <= PASSAGES_PER_PAGE)
    .map(({ hit }) => hit)
    .sort(byScoreThenId);
}
