/** Owns the choice of a phrase table. */
import type { Language } from "./case-view.js";
import type { Phrases } from "./phrase-book.js";
import { ENGLISH_PHRASES } from "./phrases-en.js";
import { CHINESE_PHRASES } from "./phrases-zh.js";

const BOOKS: Readonly<Record<Language, Phrases>> = { en: ENGLISH_PHRASES, zh: CHINESE_PHRASES };

export function sayFor(language: Language): Phrases {
  return BOOKS[language];
}
