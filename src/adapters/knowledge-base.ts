/** Owns finding policy text. Applicability comes before relevance: what is not in force for a scope is in no index of that scope. */
import MiniSearch from "minisearch";
import { LIMITS } from "../domain/limits.js";
import { isApplicable, type Passage, type PolicyDocument } from "../domain/policy-document.js";
import type { FoundPassage, Knowledge, KnowledgeScope } from "../domain/ports.js";
import { tokenize } from "./tokenize.js";

const PASSAGES_PER_PAGE = 2;
const FIELDS = ["body", "heading", "title"];
/** Share of the query's terms that a passage must hold for the question to count as covered. */
const COVERED_SHARE = 0.3;

type Scoped = { passages: ReadonlyMap<string, Passage>; index: MiniSearch<Passage> };

export function createKnowledgeBase(deps: { documents: readonly PolicyDocument[]; businessDate: string }): Knowledge {
  const { documents, businessDate } = deps;
  const scopes = new Map<string, Scoped>();

  /** Built once per scope: the text of a scope does not change while the program runs. */
  function scoped({ tenant, language }: KnowledgeScope): Scoped {
    const key = `${tenant}/${language}`;
    const known = scopes.get(key);
    if (known !== undefined) return known;
    const passages = documents
      .filter(({ header }) => isApplicable(header, tenant, businessDate))
      .flatMap(({ pages }) => pages.flatMap((page) => page.passages))
      .filter((passage) => passage.language === language);
    const index = new MiniSearch<Passage>({ fields: FIELDS, tokenize, processTerm: (term) => term });
    index.addAll(passages);
    const built = { passages: new Map(passages.map((passage) => [passage.id, passage])), index };
    scopes.set(key, built);
    return built;
  }

  return {
    async search(scope, query) {
      const { passages, index } = scoped(scope);
      const terms = new Set(tokenize(query));
      const hits = index
        .search(query, { boost: { heading: 1.5, title: 1.2 }, bm25: { k: 1.5, b: 0.75, d: 0 } })
        .map((hit) => ({ passage: passages.get(String(hit.id)), score: hit.score, matched: hit.queryTerms.length }))
        .flatMap(({ passage, ...hit }) => (passage === undefined ? [] : [{ passage, ...hit }]))
        .sort((a, b) => b.score - a.score || (a.passage.id < b.passage.id ? -1 : 1));
      const perPage = new Map<string, number>();
      const chosen = hits.filter(({ passage }) => {
        const count = (perPage.get(passage.page) ?? 0) + 1;
        perPage.set(passage.page, count);
        return count <= PASSAGES_PER_PAGE;
      });
      const found: FoundPassage[] = chosen
        .slice(0, LIMITS.searchResults)
        .map(({ passage, score }) => ({ ...passage, score: Math.round(score * 1e6) / 1e6 }));
      const best = Math.max(0, ...chosen.slice(0, LIMITS.searchResults).map(({ matched }) => matched));
      return { passages: found, covered: terms.size > 0 && best / terms.size >= COVERED_SHARE };
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
