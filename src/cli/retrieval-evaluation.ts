/** Owns measuring the search with labelled questions: per question, then the means by language, split and page. */
import type { Language, TenantId } from "../domain/ids.js";
import { LIMITS } from "../domain/limits.js";
import type { Knowledge } from "../domain/ports.js";
import { meanOf, recallAt, reciprocalRankAt } from "../domain/retrieval-metrics.js";
import type { RetrievalQuestions } from "../graph/compose-data.js";

type LabelledQuestion = RetrievalQuestions["questions"][number];
type UnanswerableQuestion = RetrievalQuestions["unanswerable"][number];
type NearCopy = RetrievalQuestions["nearCopies"][number];

/** What a measurement was made with. */
export type Stamp = { version: string; dataHash: string; date: string };

type Measured = { ranked: string[]; covered: boolean; recallAt4: number; reciprocalRank: number };
export type QuestionResult = Omit<LabelledQuestion, "question"> & Measured & Stamp;
export type UnanswerableResult = Omit<UnanswerableQuestion, "question"> & {
  ranked: string[];
  covered: boolean;
} & Stamp;
export type NearCopyResult = Omit<NearCopy, "question"> & { ranked: string[] } & Record<
    "recallAt4" | "reciprocalRank",
    number | null
  > &
  Stamp;

/** Means over one language and split. `abstention`: share of the unanswerable questions said to be uncovered; `falseAbstention`: of the answerable. */
export type Means = {
  language: Language;
  split: "development" | "held_out";
  questions: number;
  recallAt4: number | null;
  mrrAt4: number | null;
  unanswerable: number;
  abstention: number | null;
  falseAbstention: number | null;
} & Stamp;
export type PageMeans = {
  page: string;
  language: Language;
  questions: number;
  recallAt4: number | null;
  mrrAt4: number | null;
} & Stamp;

export type RetrievalEvaluation = Stamp & {
  kind: "retrieval";
  means: Means[];
  pages: PageMeans[];
  questions: QuestionResult[];
  unanswerable: UnanswerableResult[];
  nearCopies: NearCopyResult[];
};

const K = LIMITS.searchResults;

export async function evaluateRetrieval(
  knowledge: Knowledge,
  tenant: TenantId,
  set: RetrievalQuestions,
  stamp: Stamp,
): Promise<RetrievalEvaluation> {
  const ask = async (language: Language, question: string): Promise<{ ranked: string[]; covered: boolean }> => {
    const { passages, covered } = await knowledge.search({ tenant, language }, question);
    return { ranked: passages.map(({ page }) => page), covered };
  };
  const questions: QuestionResult[] = [];
  for (const { question, ...labels } of set.questions) {
    const found = await ask(labels.language, question);
    questions.push({ ...labels, ...found, ...measures(found.ranked, labels.pages), ...stamp });
  }
  const unanswerable: UnanswerableResult[] = [];
  for (const { question, ...labels } of set.unanswerable) {
    unanswerable.push({ ...labels, ...(await ask(labels.language, question)), ...stamp });
  }
  const nearCopies: NearCopyResult[] = [];
  for (const { question, ...labels } of set.nearCopies) {
    const { ranked } = await ask(labels.language, question);
    const measured = labels.page === null ? { recallAt4: null, reciprocalRank: null } : measures(ranked, [labels.page]);
    nearCopies.push({ ...labels, ranked, ...measured, ...stamp });
  }
  const means = meansBySplit(questions, unanswerable).map((entry) => ({ ...entry, ...stamp }));
  const pages = meansByPage(questions).map((entry) => ({ ...entry, ...stamp }));
  return { kind: "retrieval", ...stamp, means, pages, questions, unanswerable, nearCopies };
}

function measures(ranked: readonly string[], pages: readonly string[]): Pick<Measured, "recallAt4" | "reciprocalRank"> {
  return { recallAt4: recallAt(K, ranked, pages), reciprocalRank: reciprocalRankAt(K, ranked, pages) };
}

function averages(results: readonly QuestionResult[]): {
  questions: number;
  recallAt4: number | null;
  mrrAt4: number | null;
} {
  return {
    questions: results.length,
    recallAt4: meanOf(results.map(({ recallAt4 }) => recallAt4)),
    mrrAt4: meanOf(results.map(({ reciprocalRank }) => reciprocalRank)),
  };
}

function meansBySplit(
  questions: readonly QuestionResult[],
  unanswerable: readonly UnanswerableResult[],
): Omit<Means, keyof Stamp>[] {
  const groups = (["zh", "en"] as const).flatMap((language) =>
    (["development", "held_out"] as const).map((split) => ({ language, split })),
  );
  return groups.map(({ language, split }) => {
    const inGroup = (entry: { language: Language; split: string }): boolean =>
      entry.language === language && entry.split === split;
    const answerable = questions.filter(inGroup);
    const open = unanswerable.filter(inGroup);
    return {
      language,
      split,
      ...averages(answerable),
      unanswerable: open.length,
      abstention: meanOf(open.map(({ covered }) => (covered ? 0 : 1))),
      falseAbstention: meanOf(answerable.map(({ covered }) => (covered ? 0 : 1))),
    };
  });
}

function meansByPage(questions: readonly QuestionResult[]): Omit<PageMeans, keyof Stamp>[] {
  const pages = [...new Set(questions.flatMap((result) => result.pages))].sort();
  return pages.flatMap((page) =>
    (["zh", "en"] as const).map((language) => ({
      page,
      language,
      ...averages(questions.filter((result) => result.language === language && result.pages.includes(page))),
    })),
  );
}
