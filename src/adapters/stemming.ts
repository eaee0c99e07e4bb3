/** Owns bringing the forms of an English word together. Light: plural, past, -ing, -ly, -ment; a stem need not be a word. */

/** Closed class of forms that no rule reaches. */
const IRREGULAR: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "pay paid",
    "send sent",
    "buy bought",
    "break broke broken",
    "lose lost",
    "come came",
    "go went",
    "get got gotten",
    "keep kept",
    "tell told",
    "say said",
    "know knew known",
    "give gave given",
    "take took taken",
    "write wrote written",
    "choose chose chosen",
    "steal stole stolen",
    "tear tore torn",
    "make made",
    "find found",
    "hold held",
    "sell sold",
    "spend spent",
    "bring brought",
    "forget forgot forgotten",
    "leave left",
    "see saw seen",
    "do did done",
    "burn burnt",
    "hide hid hidden",
    "begin began begun",
    "throw threw thrown",
    "wear wore worn",
    "freeze froze frozen",
    "person people",
    "day days",
  ].flatMap((line) => {
    const [base = "", ...forms] = line.split(" ");
    return forms.map((form) => [form, base]);
  }),
);
const VOWEL = /[aeiouy]/;

/** The stem of a lower-case word. Words of up to three letters and words with digits stay as they are. */
export function stem(word: string): string {
  const bare = word.replace(/'s?$/, "");
  const base = Object.hasOwn(IRREGULAR, bare) ? (IRREGULAR[bare] ?? bare) : bare;
  if (base.length <= 3 || /[^a-z]/.test(base)) return base;
  return withoutEnding(withoutDerivation(withoutInflection(withoutPlural(base))));
}

function withoutPlural(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/[^aeiou]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh|zz)es$/.test(word)) return word.slice(0, -2);
  return word.replace(/s$/, "");
}

function withoutInflection(word: string): string {
  if (/[^aeiou]ied$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  const [, root] = /^(.{3,})(?:ed|ing)$/.exec(word) ?? [];
  return root !== undefined && VOWEL.test(root) && !/ee$/.test(root) ? root : word;
}

function withoutDerivation(word: string): string {
  if (/^.{3,}ment$/.test(word)) return word.slice(0, -4);
  return /^.{4,}ly$/.test(word) ? word.slice(0, -2) : word;
}

/** `charge` and `charging`, `cancel` and `cancelled` meet: no final e, no doubled consonant at the end. */
function withoutEnding(word: string): string {
  const open = word.length > 4 ? word.replace(/([^e])e$/, "$1") : word;
  return open.replace(/([b-df-hj-np-tv-z])\1$/, "$1");
}
