/** Owns reading an answer: its clauses, and the amounts, dates and numbers of days named in them. */

export type Clause = { text: string; sentence: string; amounts: number[]; negated: boolean };

const SENTENCE_END = /(?<=[。！？!?\n])|(?<=\.)(?=\s|$)/u;
const CLAUSE_END = /[,，;；:：。！？!?()（）\n]+|\.(?=\s|$)/u;
const AMOUNT = /(?:cny|rmb|[¥￥])\s?(\d+(?:\.\d{1,2})?)|(\d+(?:\.\d{1,2})?)\s?(?:cny|rmb|yuan|元|块)/giu;
const NEGATION =
  /\b(?:not|no|never|nothing|nobody|none|without|cannot|neither|nor|excluded|excludes)\b|n't\b|[不没未无非别勿]/iu;

export function readClauses(answer: string): Clause[] {
  return plainNumbers(answer)
    .split(SENTENCE_END)
    .flatMap((sentence) =>
      sentence
        .split(CLAUSE_END)
        .filter((text) => text.trim() !== "")
        .map((text) => ({
          text: text.trim(),
          sentence: sentence.trim(),
          amounts: readAmounts(text),
          negated: NEGATION.test(text),
        })),
    );
}

/** `1,290.00` as `1290.00`, so that a comma always ends a clause; no invisible or wide forms. */
export function plainNumbers(text: string): string {
  return text.normalize("NFKC").replace(/(\d),(?=\d{3}(?!\d))/gu, "$1");
}

/** Amounts of money in cents. */
export function readAmounts(text: string): number[] {
  return [...plainNumbers(text).matchAll(AMOUNT)].map((match) => Math.round(Number(match[1] ?? match[2]) * 100));
}

/** Calendar days, as `YYYY-MM-DD`. */
export function readDates(text: string): string[] {
  const dates = text.matchAll(/(\d{4})(?:-|\s*年\s*)(\d{1,2})(?:-|\s*月\s*)(\d{1,2})/gu);
  return [...dates].map(
    ([, year, month = "", day = ""]) => `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`,
  );
}

/** Numbers of days: "30 calendar days", "30-day", "day 31", "第 31 天", "30 个自然日". Dates are none. */
export function readDayNumbers(text: string): number[] {
  const withoutDates = text.replace(
    /\d{4}(?:-|\s*年\s*)\d{1,2}(?:-|\s*月\s*)\d{1,2}\s*日?|\d{1,2}\s*月\s*\d{1,2}\s*日/gu,
    " ",
  );
  const numbers = withoutDates.matchAll(
    /(\d{1,4})(?:st|nd|rd|th)?[- ]?(?:calendar |working |business )?days?\b|\bday (\d{1,4})|(\d{1,4})\s*个?(?:自然|工作)?[天日]/giu,
  );
  return [...numbers].map((match) => Number(match[1] ?? match[2] ?? match[3]));
}

/** Numbers that count from a delivery to today. */
export function readDayCounts(text: string): number[] {
  return numbersIn(
    text,
    /(\d{1,4}) days? (?:ago|before|since|old|have passed|passed)|(?:距|过了?|满|共)[^，。,]{0,24}?(\d{1,4})\s*天/giu,
  );
}

/** Numbers that say how long the return window is. */
export function readWindowLengths(text: string): number[] {
  return numbersIn(
    text,
    /window of (\d{1,4})|within (\d{1,4}) (?:calendar )?days|(\d{1,4})[- ]day (?:return )?window|(\d{1,4})\s*个?(?:自然)?[天日](?:的?(?:退货|退款)?[时期]限|之?内)/giu,
  );
}

function numbersIn(text: string, pattern: RegExp): number[] {
  return [...text.replace(/\d{4}-\d{2}-\d{2}/gu, " ").matchAll(pattern)].map((match) =>
    Number(match.slice(1).find((group) => group !== undefined)),
  );
}
