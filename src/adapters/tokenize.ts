/** Owns cutting text into search terms: English words, Chinese character pairs, order numbers and SKUs as whole tokens. */
import { normaliseText } from "../domain/order-ids.js";

const TERM = /[A-Za-z]{2,12}-[0-9]{2,4}|[A-Za-z0-9]+|\p{Script=Han}+/gu;

/** Terms of a text, in order. The same on every Node version: no dictionary, no locale data beyond Unicode scripts. */
export function tokenize(text: string): string[] {
  return [...normaliseText(text).matchAll(TERM)].flatMap(([term]) =>
    /^\p{Script=Han}/u.test(term) ? characterPairs(term) : [term.toLowerCase()],
  );
}

function characterPairs(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
