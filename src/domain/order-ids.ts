/** Owns reading order ids out of customer text. A text that does not match after normalisation holds no id: ids are never completed or corrected. */
import { OrderId } from "./ids.js";

/** Zero-width characters and the soft hyphen: they hide inside an id that looks right. */
const INVISIBLE = /[\u00AD\u200B-\u200D\u2060\uFEFF]/gu;
const DASH = "[-\u2010-\u2015\u2212\uFF0D\u30FC]";
/** An em dash or horizontal bar beside an id is punctuation; every other dash glues it to what follows. */
const GLUE = "[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Nd}_\\-\u2010-\u2013\u2212\u30FC]";
const ORDER_ID = new RegExp(`(?<!${GLUE})QH${DASH}([0-9]{4})(?!${GLUE})`, "gu");

/** NFKC, without invisible characters. The form in which text is matched and arguments are used. */
export function normaliseText(text: string): string {
  return text.normalize("NFKC").replace(INVISIBLE, "");
}

/** The distinct order ids named in a text, in order of first mention. */
export function findOrderIds(text: string): OrderId[] {
  const upper = normaliseText(text).toUpperCase();
  return [...new Set([...upper.matchAll(ORDER_ID)].map((match) => OrderId.parse(`QH-${match[1]}`)))];
}

/** The one order id a short text consists of, or null. */
export function parseOrderId(text: string): OrderId | null {
  const [id] = findOrderIds(text);
  const bare = normaliseText(text).trim();
  return id !== undefined && bare.length === 7 ? id : null;
}
