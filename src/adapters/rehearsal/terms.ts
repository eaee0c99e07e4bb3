/** Owns reading passages: the length of the return window, the passage that fits, and which ones to cite. */
import type { Language, PassageView } from "./case-view.js";

/** The number of days of the return window: the first number before "days" in the given passages. Null when none stands there. */
export function windowDays(passages: readonly PassageView[], pages: readonly string[]): number | null {
  for (const { body } of ofPages(passages, pages)) {
    const match = /(?<![\d-]|第\s?)(\d{1,3})\s*(?:calendar days|days|个?自然日|天)/u.exec(body);
    if (match !== null) return Number(match[1]);
  }
  return null;
}

function ofPages(passages: readonly PassageView[], pages: readonly string[]): PassageView[] {
  return passages.filter(({ page }) => pages.includes(page)).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What an answer about a refund rests on, as words of the terms. */
export type Ground = "window" | "receipt" | "amount" | "exclusion";
const GROUND_WORDS: Readonly<Record<Ground, RegExp>> = {
  window: /\d+\s*(?:calendar )?days|\d+\s*(?:个?自然日|天)/u,
  receipt: /warehouse|仓库/u,
  amount: /freight|运费/u,
  exclusion: /\bcustom\b|\bdigital\b|定制|数字/iu,
};

/** The passages of the mandatory pages to cite: the first for each ground, and one of every page. Empty when a page is missing. */
export function citePages(
  passages: readonly PassageView[],
  pages: readonly string[],
  grounds: readonly Ground[],
): string[] {
  const available = ofPages(passages, pages);
  const firstOfEach = pages.map((page) => available.find((passage) => passage.page === page));
  if (firstOfEach.includes(undefined)) return [];
  const fitting = grounds.map((ground) => available.find(({ body }) => GROUND_WORDS[ground].test(body)));
  const chosen = new Set(fitting.filter((passage) => passage !== undefined).map(({ id }) => id));
  for (const passage of firstOfEach) {
    const pageCited = available.some(({ page, id }) => page === passage?.page && chosen.has(id));
    if (!pageCited && passage !== undefined) chosen.add(passage.id);
  }
  return [...chosen];
}

/** The passage that shares most words with a text; the search's first when none shares any, as when the question is in the other language. */
export function bestPassage(passages: readonly PassageView[], text: string, language: Language): PassageView | null {
  const wanted = wordsOf(text, language);
  let best: { passage: PassageView; shared: number } | null = null;
  for (const passage of passages) {
    const held = wordsOf(`${passage.heading} ${passage.body}`, language);
    const shared = [...wanted].filter((word) => held.has(word)).length;
    if (best === null || shared > best.shared) best = { passage, shared };
  }
  return best?.passage ?? null;
}

const COMMON = new Set(
  "the and for you your that this with are was were have has can could would will not how what when where which who why does did from there any get about into out his her its our than then they them please tell just one all may".split(
    " ",
  ),
);

/** English: words without their endings. Chinese: pairs of neighbouring characters. */
function wordsOf(text: string, language: Language): Set<string> {
  if (language === "zh") {
    const runs = text.match(/\p{Script=Han}+/gu) ?? [];
    return new Set(
      runs.flatMap((run) => [...run].slice(1).map((character, index) => `${[...run][index]}${character}`)),
    );
  }
  const words = (text.toLowerCase().match(/[a-z]{3,}/g) ?? []).filter((word) => !COMMON.has(word));
  return new Set(words.map((word) => word.replace(/(?:ing|ed|es|s)$/, "")));
}

/** The first sentences of a passage, as they stand there. */
export function firstSentences(body: string, count: number): string {
  return body
    .split(/(?<=[。！？])|(?<=[.!?]\s)(?=\p{Lu})/u)
    .slice(0, count)
    .join("")
    .trim()
    .slice(0, 800);
}
