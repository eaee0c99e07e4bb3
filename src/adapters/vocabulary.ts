/** Owns what words of a text mean to the search: which belong to a word group, which only fill, which are topics of their own. */
import { CHINESE_FILLERS, ENGLISH_FILLERS } from "./filler-words.js";
import { stem } from "./stemming.js";
import type { SynonymGroup } from "./synonyms.js";
import { characterPairs, cutText, type Piece } from "./tokenize.js";

/**
 * A stretch of text. `grouped`: a word or phrase of word groups; `plain`: other words with a topic; `filler`: says nothing about a topic;
 * `reference`: a number or an order number, which says whose matter it is and not what is asked.
 */
export type Stretch = {
  kind: "grouped" | "plain" | "filler" | "reference";
  text: string;
  /** Ids of the word groups. */
  groups: readonly string[];
  script: "latin" | "han";
};

export type Vocabulary = {
  /** Cuts a text into stretches, left to right, each as long as a known phrase allows. */
  read(text: string): Stretch[];
  /** Every English word the groups and the fillers know. */
  englishWords(): ReadonlySet<string>;
  relatedTo(group: string): readonly string[];
  /** Whether the group names something that the documents are known to leave open. */
  isLeftOpen(group: string): boolean;
};

type Phrase<Part> = { parts: readonly Part[]; groups: string[] };

export function createVocabulary(groups: readonly SynonymGroup[]): Vocabulary {
  const latin = new Map<string, Phrase<string>[]>();
  const han = new Map<string, Phrase<string>[]>();
  for (const group of groups) {
    for (const words of group.en) addPhrase(latin, stemsOf(words), group.id);
    for (const word of group.zh) addPhrase(han, [...word], group.id);
  }
  for (const word of CHINESE_FILLERS) addPhrase(han, [...word], null);
  for (const phrases of [...latin.values(), ...han.values()]) phrases.sort((a, b) => b.parts.length - a.parts.length);
  const words = new Set([...groups.flatMap(({ en }) => en.flatMap(wordsOf)), ...ENGLISH_FILLERS]);
  const byId = new Map(groups.map((group) => [group.id, group]));

  return {
    read: (text) => sections(cutText(text)).flatMap((pieces) => readSection(pieces, latin, han)),
    englishWords: () => words,
    relatedTo: (group) => byId.get(group)?.related ?? [],
    isLeftOpen: (group) => byId.get(group)?.uncovered === true,
  };
}

function stemsOf(text: string): string[] {
  return cutText(text).map((piece) => stem(piece.text));
}

function wordsOf(text: string): string[] {
  return cutText(text).map((piece) => piece.text);
}

/** `group` null marks a filler; a phrase that is both keeps its groups. */
function addPhrase(table: Map<string, Phrase<string>[]>, parts: readonly string[], group: string | null): void {
  const [first] = parts;
  if (first === undefined) return;
  const phrases = table.get(first) ?? [];
  table.set(first, phrases);
  const known = phrases.find((phrase) => phrase.parts.join(" ") === parts.join(" "));
  if (known === undefined) phrases.push({ parts, groups: group === null ? [] : [group] });
  else if (group !== null && !known.groups.includes(group)) known.groups.push(group);
}

/** Chinese runs one by one; neighbouring words together, because phrases go across them. */
function sections(pieces: readonly Piece[]): Piece[][] {
  const result: Piece[][] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (piece.kind !== "han" && last !== undefined && last[0]?.kind !== "han") last.push(piece);
    else result.push([piece]);
  }
  return result;
}

function readSection(
  pieces: readonly Piece[],
  latin: ReadonlyMap<string, readonly Phrase<string>[]>,
  han: ReadonlyMap<string, readonly Phrase<string>[]>,
): Stretch[] {
  const [first] = pieces;
  return first?.kind === "han" ? readHan([...first.text], han) : readLatin(pieces, latin);
}

/** The longest phrase that begins here, and how many parts of the text it takes. `between` may stand inside a phrase without being of it. */
function longestAt(
  parts: readonly string[],
  at: number,
  table: ReadonlyMap<string, readonly Phrase<string>[]>,
  between: ReadonlySet<string> = new Set(),
): { phrase: Phrase<string>; count: number } | undefined {
  for (const phrase of table.get(parts[at] ?? "") ?? []) {
    let end = at;
    for (const part of phrase.parts) {
      if (end > at && parts[end] !== part && between.has(parts[end] ?? "")) end += 1;
      if (parts[end] !== part) {
        end = at;
        break;
      }
      end += 1;
    }
    if (end > at) return { phrase, count: end - at };
  }
  return undefined;
}

function readHan(characters: readonly string[], table: ReadonlyMap<string, readonly Phrase<string>[]>): Stretch[] {
  const result: Stretch[] = [];
  let plain = "";
  const endPlain = (): void => {
    if (plain !== "") result.push({ kind: "plain", text: plain, groups: [], script: "han" });
    plain = "";
  };
  for (let at = 0; at < characters.length; ) {
    const phrase = longestAt(characters, at, table)?.phrase;
    if (phrase === undefined) {
      plain += characters[at] ?? "";
      at += 1;
      continue;
    }
    endPlain();
    const kind = phrase.groups.length === 0 ? "filler" : "grouped";
    result.push({ kind, text: phrase.parts.join(""), groups: phrase.groups, script: "han" });
    at += phrase.parts.length;
  }
  endPlain();
  return result;
}

/** Whom or what it is about may stand inside an English phrase: "help me with", "track the parcel". */
const BETWEEN: ReadonlySet<string> = new Set(
  ["me", "you", "us", "it", "them", "my", "your", "our", "the", "a", "an", "this", "that", "some"].map(stem),
);
/** A particle that English lets stand apart from its verb: "send it back", "switch the lamp on". */
const PARTICLES: ReadonlySet<string> = new Set(["back", "on", "off", "up", "out", "apart"]);
/** Words that may stand between. */
const PARTICLE_REACH = 3;

/** The phrase of a verb here and its particle further on, and where the particle stands. */
function separatedAt(
  stems: readonly string[],
  at: number,
  table: ReadonlyMap<string, readonly Phrase<string>[]>,
): { phrase: Phrase<string>; particleAt: number } | undefined {
  for (const phrase of table.get(stems[at] ?? "") ?? []) {
    const [, particle, more] = phrase.parts;
    if (particle === undefined || more !== undefined || !PARTICLES.has(particle)) continue;
    const particleAt = stems.indexOf(particle, at + 2);
    if (particleAt > 0 && particleAt <= at + 1 + PARTICLE_REACH) return { phrase, particleAt };
  }
  return undefined;
}

function readLatin(pieces: readonly Piece[], table: ReadonlyMap<string, readonly Phrase<string>[]>): Stretch[] {
  const result: Stretch[] = [];
  const stems = pieces.map((piece) => stem(piece.text));
  const used = new Set<number>();
  for (let at = 0; at < pieces.length; ) {
    if (used.has(at)) {
      at += 1;
      continue;
    }
    const whole = longestAt(stems, at, table, BETWEEN);
    const apart = whole === undefined || whole.count === 1 ? separatedAt(stems, at, table) : undefined;
    if (apart !== undefined) used.add(apart.particleAt);
    const phrase = apart?.phrase ?? whole?.phrase;
    const count = apart === undefined ? (whole?.count ?? 1) : 1;
    const text = pieces
      .slice(at, at + count)
      .map((piece) => piece.text)
      .join(" ");
    if (phrase !== undefined) result.push({ kind: "grouped", text, groups: phrase.groups, script: "latin" });
    else result.push({ kind: kindOfWord(pieces[at]), text, groups: [], script: "latin" });
    at += count;
  }
  return result;
}

function kindOfWord(piece: Piece | undefined): Stretch["kind"] {
  if (piece === undefined || ENGLISH_FILLERS.has(piece.text)) return "filler";
  if (piece.kind === "id" || /^[0-9]+$/.test(piece.text)) return "reference";
  return piece.text.length === 1 ? "filler" : "plain";
}

/** The terms a stretch is indexed and searched under; a group's term begins with `#`, which no word does. */
export function termsOf(stretch: Stretch): string[] {
  return [...stretch.groups.map(groupTerm), ...wordTerms(stretch)];
}

export function groupTerm(group: string): string {
  return `#${group}`;
}

/** The words of a stretch themselves: stems without fillers, or character pairs. */
export function wordTerms({ kind, text, script }: Stretch): string[] {
  if (kind === "filler") return [];
  if (script === "han") return characterPairs(text);
  return text
    .split(" ")
    .filter((word) => kind === "reference" || !ENGLISH_FILLERS.has(word))
    .map(stem);
}
