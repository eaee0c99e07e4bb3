import { expect, test } from "vitest";
import { characterPairs, cutText } from "../../src/adapters/tokenize.js";

const pieces = (text: string): string[] => cutText(text).map(({ kind, text: piece }) => `${kind}:${piece}`);

test.each([
  ["Refund QH-1001, please!", ["word:refund", "id:qh-1001", "word:please"]],
  ["退货仓库QH-1001收货", ["han:退货仓库", "id:qh-1001", "han:收货"]],
  ["ＱＨ－１００１ 运费", ["id:qh-1001", "han:运费"]],
  ["QH–1001 and MUG-04", ["id:qh-1001", "word:and", "id:mug-04"]],
  ["XQH-1001-2", ["word:xqh", "word:1001", "word:2"]],
  ["it isn’t 30 days", ["word:it", "word:isn't", "word:30", "word:days"]],
  ["re\u200Bfund", ["word:refund"]],
  ["退", ["han:退"]],
  ["?!、。", []],
  ["", []],
])("%s is cut the same way on every Node", (text, expected) => {
  expect(pieces(text)).toEqual(expected);
});

test("a piece knows its place", () => {
  expect(cutText("退款 QH-1001").map(({ at }) => at)).toEqual([0, 3]);
});

test.each([
  ["退款", ["退款"]],
  ["退货仓库", ["退货", "货仓", "仓库"]],
  ["退", ["退"]],
  ["𠮷野家", ["𠮷野", "野家"]],
])("%s is read as %j", (run, pairs) => {
  expect(characterPairs(run)).toEqual(pairs);
});
