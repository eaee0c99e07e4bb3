/** Owns the reviewed word groups: everyday words beside the words of the documents, in both languages. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AftersalesError } from "../domain/errors.js";
import { readDataFile } from "./data-directory.js";

export const SYNONYMS_FILE = "synonyms.json";

const words = z.array(z.string()).min(1).max(60);
export const SynonymGroup = z.strictObject({
  /** Names the group; no customer and no document sees it. */
  id: z.string().regex(/^[a-z][a-z-]{1,30}$/),
  en: words,
  zh: words,
  /** Groups that a question about this one is usually also about; they count less and never make a question covered. */
  related: z.array(z.string()).max(6).optional(),
  /** Something customers ask about and the documents leave open: a question that names it is not covered. */
  uncovered: z.literal(true).optional(),
});
export type SynonymGroup = z.infer<typeof SynonymGroup>;

const SynonymsFile = z.strictObject({ about: z.string(), groups: z.array(SynonymGroup) });

/** An English entry is lower-case words (hyphens, digits and apostrophes allowed), a Chinese one Chinese characters only. */
const FORM = {
  en: { is: /^[a-z0-9]+(?:[ '-][a-z0-9]+)*$/, advice: "write lower-case English words with single blanks" },
  zh: { is: /^\p{Script=Han}+$/u, advice: "write Chinese characters without blanks or punctuation" },
} as const;

/** The groups of a data directory; a directory without the file has none. Throws `data_invalid` naming the group and the word. */
export function loadSynonyms(dataDir: string): SynonymGroup[] {
  if (!existsSync(join(dataDir, SYNONYMS_FILE))) return [];
  const { groups } = readDataFile(dataDir, SYNONYMS_FILE, SynonymsFile);
  const known = new Set(groups.map(({ id }) => id));
  const seen = new Set<string>();
  for (const group of groups) {
    const problem = seen.has(group.id) ? "stands there twice; give each group its own id" : problemOf(group, known);
    seen.add(group.id);
    if (problem !== null) {
      throw new AftersalesError("data_invalid", { file: SYNONYMS_FILE, detail: `group "${group.id}" ${problem}` });
    }
  }
  return groups;
}

function problemOf(group: SynonymGroup, known: ReadonlySet<string>): string | null {
  for (const language of ["en", "zh"] as const) {
    const { is, advice } = FORM[language];
    const list = group[language];
    const odd = list.find((word) => !is.test(word));
    if (odd !== undefined) return `has "${odd}" under ${language}; ${advice}`;
    const twice = list.find((word, index) => list.indexOf(word) !== index);
    if (twice !== undefined) return `has "${twice}" twice under ${language}; keep one`;
  }
  const unknown = group.related?.find((id) => !known.has(id) || id === group.id);
  return unknown === undefined ? null : `names "${unknown}" as related, which is no other group`;
}
