/** Owns cutting text into pieces: order numbers and product codes whole, words, runs of Chinese. The same on every Node version. */
import { normaliseText } from "../domain/order-ids.js";

/** A number that names one thing (`QH-1001`, `MUG-04`), an English word or number, or a run of Chinese characters; `at` is its place in the text. */
export type Piece = { kind: "id" | "word" | "han"; text: string; at: number };

const DASHES = /(?<=[A-Za-z])[\u2010-\u2015\u2212\uFF0D\u30FC](?=[0-9])/gu;
const PIECE =
  /(?<id>(?<![A-Za-z0-9_-])[A-Za-z]{2,12}-[0-9]{2,4}(?![A-Za-z0-9_-]))|(?<word>[A-Za-z0-9]+(?:'[A-Za-z]+)?)|(?<han>\p{Script=Han}+)/gu;

/** The pieces of a text in order, in lower case. No dictionary and no locale data beyond Unicode's scripts. */
export function cutText(text: string): Piece[] {
  const plain = normaliseText(text).replace(DASHES, "-").replaceAll("\u2019", "'").toLowerCase();
  return [...plain.matchAll(PIECE)].map((match) => ({
    kind: match.groups?.id !== undefined ? "id" : match.groups?.word !== undefined ? "word" : "han",
    text: match[0],
    at: match.index,
  }));
}

/** Neighbouring characters of a run, two by two; a lone character stays alone. */
export function characterPairs(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
