import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { assertPlainJson, canonicalJson, digestOf, textHash } from "../../src/domain/canonical.js";

class Amount {
  cents = 12_900;
}

function cycle(): Record<string, unknown> {
  const value: Record<string, unknown> = { a: 1 };
  value.self = { inner: [value] };
  return value;
}

test.each([
  ["undefined", undefined],
  ["an undefined member", { a: 1, b: undefined }],
  ["an undefined element", [1, undefined]],
  ["a BigInt", { cents: 12_900n }],
  ["NaN", { a: Number.NaN }],
  ["Infinity", [Number.POSITIVE_INFINITY]],
  ["a Date", { at: new Date(0) }],
  ["a Map", { a: new Map() }],
  ["a class instance", { amount: new Amount() }],
  ["a function", { run: () => 1 }],
  ["a symbol", { kind: Symbol("x") }],
  ["a Buffer", Buffer.from("x")],
  ["a cycle", cycle()],
])("%s has no canonical form", (_what, value) => {
  expect(() => canonicalJson(value)).toThrow(TypeError);
});

test("the error names the place", () => {
  expect(() => assertPlainJson({ facts: [{ data: 1n }] })).toThrow("$.facts.0.data");
});

test("key order and white space do not matter, at any depth", () => {
  expect(canonicalJson({ b: [{ y: 1, x: 2 }], a: null })).toBe('{"a":null,"b":[{"x":2,"y":1}]}');
});

test("a value that stands in two places is no cycle", () => {
  const page = { page: "RETURNS:p02" };
  expect(canonicalJson([page, page])).toBe('[{"page":"RETURNS:p02"},{"page":"RETURNS:p02"}]');
});

test("any plain JSON keeps its meaning and its digest through text", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      expect(JSON.parse(canonicalJson(plain))).toEqual(plain);
      expect(digestOf("p", JSON.parse(canonicalJson(plain)))).toBe(digestOf("p", plain));
    }),
  );
});

test("a digest covers prefix, newline and canonical text, so that kinds of things stay apart", () => {
  const expected = createHash("sha256").update('kind.v1\n{"a":1}').digest("hex");
  expect(digestOf("kind.v1", { a: 1 })).toBe(expected);
  expect(digestOf("kind.v2", { a: 1 })).not.toBe(expected);
});

test("a text hash covers the bytes in UTF-8", () => {
  expect(textHash("退款")).toBe(createHash("sha256").update(Buffer.from("退款", "utf8")).digest("hex"));
});
