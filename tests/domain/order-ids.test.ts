import { expect, test } from "vitest";
import { findOrderIds, normaliseText, parseOrderId } from "../../src/domain/order-ids.js";

const DASHES = ["-", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "\u2212", "\uFF0D", "\u30FC"];
const INVISIBLE = ["\u200B", "\u200C", "\u200D", "\u2060", "\uFEFF", "\u00AD"];

test.each(DASHES.map((dash) => [dash.codePointAt(0)?.toString(16) ?? "", dash]))(
  "the dash U+%s inside an id is read as a hyphen",
  (_code, dash) => {
    expect(findOrderIds(`refund QH${dash}1001 please`)).toEqual(["QH-1001"]);
  },
);

test.each(INVISIBLE.map((mark) => [mark.codePointAt(0)?.toString(16) ?? "", mark]))(
  "the invisible character U+%s inside an id is dropped",
  (_code, mark) => {
    expect(findOrderIds(`Q${mark}H-${mark}10${mark}01`)).toEqual(["QH-1001"]);
  },
);

test.each([
  ["upper case", "QH-1001", ["QH-1001"]],
  ["lower case", "qh-1001", ["QH-1001"]],
  ["mixed case", "Qh-1001", ["QH-1001"]],
  ["full-width digits", "QH-１００１", ["QH-1001"]],
  ["full-width letters, dash and digits", "ＱＨ－１００１", ["QH-1001"]],
  ["full-width lower case", "ｑｈ-1001", ["QH-1001"]],
  ["circled digits, which NFKC maps", "QH-①⓪⓪①", ["QH-1001"]],
  ["Chinese text on both sides", "请把QH-1001退掉", ["QH-1001"]],
  ["Chinese punctuation", "订单：QH-1001，谢谢。", ["QH-1001"]],
  ["brackets", "(QH-1001)", ["QH-1001"]],
  ["an em dash beside it", "QH-1001—thanks", ["QH-1001"]],
  ["a horizontal bar beside it", "order ―QH-1001― please", ["QH-1001"]],
  ["the same id twice in two forms", "QH-1001, I mean qh–１００１", ["QH-1001"]],
  ["two ids, in order of mention", "swap QH-1002 for QH-1001", ["QH-1002", "QH-1001"]],
  ["two ids joined by 和", "QH-1001和QH-1002", ["QH-1001", "QH-1002"]],
  ["two ids with a slash", "QH-1001/QH-1002", ["QH-1001", "QH-1002"]],
])("%s: %s", (_why, text, ids) => {
  expect(findOrderIds(text)).toEqual(ids);
});

test.each([
  ["five digits", "QH-10011"],
  ["three digits", "QH-100"],
  ["a letter in front", "AQH-1001"],
  ["a letter behind", "QH-1001A"],
  ["a Cyrillic letter in front", "ЖQH-1001"],
  ["an accented letter behind", "QH-1001é"],
  ["a digit in front", "1QH-1001"],
  ["an underscore in front", "_QH-1001"],
  ["an underscore behind", "QH-1001_2"],
  ["a hyphen in front", "X-QH-1001"],
  ["a hyphen behind", "QH-1001-2"],
  ["an en dash behind", "QH-1001–2"],
  ["a minus sign behind", "QH-1001−2"],
  ["a full-width digit behind", "QH-1001２"],
  ["a letter hidden behind a zero-width space", "QH-1001\u200BA"],
  ["a space inside", "QH- 1001"],
  ["no dash", "QH1001"],
  ["a full stop instead of a dash", "QH.1001"],
  ["a Cyrillic look-alike", "QН-1001"],
  ["Arabic digits", "QH-١٠٠١"],
  ["Chinese digits", "QH-一零零一"],
  ["another prefix", "INV-1001"],
  ["nothing", ""],
])("a text with %s names no order: %s", (_why, text) => {
  expect(findOrderIds(text)).toEqual([]);
});

test.each([
  ["qh-1001", "QH-1001"],
  [" QH-１００１ ", "QH-1001"],
  ["QH–1001", "QH-1001"],
])("%s alone is one id", (text, id) => {
  expect(parseOrderId(text)).toBe(id);
});

test.each(["QH-1001 please", "order QH-1001", "QH-1001QH-1002", "QH-10011", "", "QH-1001."])(
  "%s is more or less than one id",
  (text) => {
    expect(parseOrderId(text)).toBeNull();
  },
);

test("normalised text is stable", () => {
  for (const text of ["ＱＨ－１００１", "a\u200Bb", "¥129．00", "普通文字"]) {
    expect(normaliseText(normaliseText(text))).toBe(normaliseText(text));
  }
});
