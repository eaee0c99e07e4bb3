import { expect, test } from "vitest";
import { LIMITS } from "../../src/domain/limits.js";
import { parseJsonObject } from "../../src/domain/strict-json.js";

test.each([
  ["a text over the limit", `{"a":"${"x".repeat(LIMITS.modelJsonChars)}"}`, "invalid_json_size"],
  ["no text at all", undefined, "invalid_json_size"],
  ["an object instead of text", { a: 1 }, "invalid_json_size"],
  ["an empty text", "", "invalid_json"],
  ["a cut-off text", '{"a":', "invalid_json"],
  ["a fenced block", '```json\n{"a":1}\n```', "invalid_json"],
  ["two values", '{"a":1}{"b":2}', "invalid_json"],
  ["a trailing comma", '{"a":1,}', "invalid_json"],
  ["single quotes", "{'a':1}", "invalid_json"],
  ["a comment", '{"a":1} // done', "invalid_json"],
  ["NaN", '{"a":NaN}', "nonfinite_json"],
  ["Infinity", '{"a":Infinity}', "nonfinite_json"],
  ["minus Infinity", '{"a":[-Infinity]}', "nonfinite_json"],
  ["1e999", '{"a":1e999}', "nonfinite_json"],
  ["a nested -1e999", '{"a":{"b":[1,-1e999]}}', "nonfinite_json"],
  ["a repeated key", '{"a":1,"a":2}', "duplicate_json_key"],
  ["a key repeated in a nested object", '{"a":{"b":1,"c":[{"d":1,"d":1}]}}', "duplicate_json_key"],
  ["a key repeated in escaped form", '{"amount":1,"\\u0061mount":2}', "duplicate_json_key"],
  ["a repeated __proto__", '{"__proto__":1,"__proto__":2}', "duplicate_json_key"],
  ["an array", "[1]", "expected_object"],
  ["a string", '"a"', "expected_object"],
  ["null", "null", "expected_object"],
  ["true", "true", "expected_object"],
])("%s is refused with its own code", (_what, text, code) => {
  expect(parseJsonObject(text)).toEqual({ ok: false, code });
});

test.each([
  ["the same key in two objects", '{"a":{"x":1},"b":{"x":1}}'],
  ["the same key in objects of a list", '{"a":[{"x":1},{"x":2}]}'],
  ["a value that reads like a repeated key", '{"a":"b","b":"a"}'],
  ["braces and quotes inside strings", '{"a":"{\\"a\\":1,\\"a\\":2}","b":"}{[]"}'],
  ["the word NaN inside a string", '{"a":"NaN and Infinity"}'],
  ["white space before the colon", '{"a" : 1, "b"\n:\t2}'],
  ["an empty object", "{}"],
])("%s is read", (_what, text) => {
  expect(parseJsonObject(text)).toEqual({ ok: true, value: JSON.parse(text) });
});

test("a text of exactly the limit is read", () => {
  const text = `{"a":"${"x".repeat(20)}"}`;
  expect(parseJsonObject(text, text.length).ok).toBe(true);
  expect(parseJsonObject(text, text.length - 1)).toEqual({ ok: false, code: "invalid_json_size" });
});

test("a __proto__ key stays an own key and changes no prototype", () => {
  const parsed = parseJsonObject('{"__proto__":{"eligible":true}}');
  expect(parsed.ok && Object.getPrototypeOf(parsed.value)).toBe(Object.prototype);
  expect(parsed.ok && "eligible" in parsed.value).toBe(false);
});
