/** Owns working with a data directory alone: its documents, its check, its questions, its hash. No case, no state, no model. */
import type { Knowledge } from "../domain/ports.js";
import { type DataReport, inspectData } from "./data-check.js";
import { readBusinessDate } from "./data-directory.js";
import { dataHashOf } from "./data-hash.js";
import { createKnowledgeBase } from "./knowledge-base.js";
import { loadPolicyDocuments } from "./policy-documents.js";
import { loadRetrievalQuestions, type RetrievalQuestions } from "./retrieval-questions.js";
import { loadRoutingRequests, type RoutingRequests } from "./routing-requests.js";
import { loadSynonyms } from "./synonyms.js";
import { createToolRouter, type DescribedTool, type ToolRouter } from "./tool-router.js";
import { createVocabulary } from "./vocabulary.js";

export type { DataReport, DescribedTool, RetrievalQuestions, RoutingRequests, ToolRouter };

/** Each throws `data_invalid` for what it cannot use, `inspect` only for a directory that is none. */
export type DataDesk = {
  knowledge(): Knowledge;
  inspect(): DataReport;
  questions(): RetrievalQuestions;
  routing(): RoutingRequests;
  /** Chooses among these tools by their descriptions, with the words of the directory. */
  router(tools: readonly DescribedTool[]): ToolRouter;
  /** SHA-256 over the directory's files. */
  hash(): string;
};

export function openDataDesk(dataDir: string): DataDesk {
  return {
    knowledge: () =>
      createKnowledgeBase({
        documents: loadPolicyDocuments(dataDir),
        businessDate: readBusinessDate(dataDir),
        synonyms: () => loadSynonyms(dataDir),
      }),
    inspect: () => inspectData(dataDir),
    questions: () => loadRetrievalQuestions(dataDir),
    routing: () => loadRoutingRequests(dataDir),
    router: (tools) => createToolRouter(tools, createVocabulary(loadSynonyms(dataDir))),
    hash: () => dataHashOf(dataDir),
  };
}
