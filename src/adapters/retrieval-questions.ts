/** Owns reading the labelled questions that the search is measured with. */
import { z } from "zod";
import { Language, PageId } from "../domain/ids.js";
import { readDataFile } from "./data-directory.js";

export const RETRIEVAL_QUESTIONS_FILE = "evaluation/retrieval.json";

/** `held_out` questions are measured and never tuned on. */
const Split = z.enum(["development", "held_out"]);
const id = z.string().regex(/^[a-z0-9-]{1,60}$/);
const question = z.string().min(1).max(500);

export const LabelledQuestion = z.strictObject({
  id,
  language: Language,
  split: Split,
  question,
  /** The pages that answer it; all of them are needed. */
  pages: z.array(PageId).min(1).max(4),
});
export type LabelledQuestion = z.infer<typeof LabelledQuestion>;

/** `near_miss` uses the documents' own words for something they do not say; `off_topic` has nothing to do with them. */
export const UnanswerableQuestion = z.strictObject({
  id,
  language: Language,
  split: Split,
  kind: z.enum(["near_miss", "off_topic"]),
  question,
});
export type UnanswerableQuestion = z.infer<typeof UnanswerableQuestion>;

/** Made of a page's own words: any search finds these, so they only show that nothing is broken. */
export const NearCopy = z.strictObject({ id, language: Language, question, page: PageId.nullable() });
export type NearCopy = z.infer<typeof NearCopy>;

export const RetrievalQuestions = z
  .strictObject({
    about: z.string(),
    questions: z.array(LabelledQuestion).min(1),
    unanswerable: z.array(UnanswerableQuestion),
    nearCopies: z.array(NearCopy),
  })
  .superRefine(({ questions, unanswerable, nearCopies }, context) => {
    const ids = [...questions, ...unanswerable, ...nearCopies].map((entry) => entry.id);
    const twice = ids.find((entry, index) => ids.indexOf(entry) !== index);
    if (twice !== undefined) context.addIssue({ code: "custom", message: `the id ${twice} stands there twice` });
  });
export type RetrievalQuestions = z.infer<typeof RetrievalQuestions>;

/** Throws `data_invalid`. */
export function loadRetrievalQuestions(dataDir: string): RetrievalQuestions {
  return readDataFile(dataDir, RETRIEVAL_QUESTIONS_FILE, RetrievalQuestions);
}
