import { expect, test } from "vitest";
import { ErrorCategory, ToolErrorWire } from "../../src/domain/commerce-wire.js";
import { APPROVAL_ERRORS } from "../../src/domain/error-codes/approval.js";
import { COMMERCE_ERRORS } from "../../src/domain/error-codes/commerce.js";
import { INPUT_ERRORS } from "../../src/domain/error-codes/input.js";
import { MODEL_ERRORS } from "../../src/domain/error-codes/model.js";
import { TOOL_ERRORS } from "../../src/domain/error-codes/tools.js";
import {
  AftersalesError,
  categoryOf,
  isErrorCode,
  isRetryable,
  sentenceOf,
  toolError,
} from "../../src/domain/errors.js";

const TABLES = [INPUT_ERRORS, MODEL_ERRORS, TOOL_ERRORS, COMMERCE_ERRORS, APPROVAL_ERRORS];
const CODES = TABLES.flatMap((table) => Object.keys(table)).filter(isErrorCode);
const placesIn = (sentence: string): string[] =>
  [...sentence.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "").sort();

test("no code stands in two tables", () => {
  const names = TABLES.flatMap((table) => Object.keys(table));
  expect(new Set(names).size).toBe(names.length);
  expect(CODES).toHaveLength(names.length);
});

test.each(CODES)("%s has a category, a sentence in both languages and the same values in each", (code) => {
  expect(code).toMatch(/^[a-z][a-z0-9_]{2,60}$/);
  expect(ErrorCategory.options).toContain(categoryOf(code));
  const entry = Object.assign({}, ...TABLES)[code];
  expect(entry.en).toMatch(/^[A-Z{][^\p{Script=Han}]+\.$/u);
  expect(entry.zh).toMatch(/\p{Script=Han}.*。$/u);
  expect(placesIn(entry.zh)).toEqual(placesIn(entry.en));
});

test.each(CODES)("%s shows no empty place, whatever is filled in", (code) => {
  const entry = Object.assign({}, ...TABLES)[code];
  const details = Object.fromEntries(placesIn(entry.en).map((name) => [name, `<${name}>`]));
  for (const language of ["en", "zh"] as const) {
    const filled = sentenceOf(code, language, details);
    expect(filled).not.toMatch(/[{}]/);
    for (const name of Object.keys(details)) expect(filled).toContain(`<${name}>`);
    expect(sentenceOf(code, language)).not.toMatch(/[{}]/);
  }
});

test.each(CODES)("what a model reads about %s is the English sentence and fits the wire", (code) => {
  expect(ToolErrorWire.parse(toolError(code))).toEqual({
    category: categoryOf(code),
    code,
    retryable: isRetryable(categoryOf(code)),
    message: sentenceOf(code, "en"),
  });
});

test("trying again can help after transient failures and validation errors alone", () => {
  expect(ErrorCategory.options.filter(isRetryable)).toEqual(["transient", "validation"]);
});

test("a value is filled in as it is, also when it looks like a place or a pattern", () => {
  expect(sentenceOf("state_missing", "en", { dir: "{dir} $& $1" })).toContain("no state in {dir} $& $1.");
});

test("names of the object prototype are no codes", () => {
  expect(["constructor", "__proto__", "toString", "hasOwnProperty", ""].some(isErrorCode)).toBe(false);
});

test("an error speaks both languages and keeps its cause to itself", () => {
  const error = new AftersalesError("state_missing", { dir: "/x" }, { cause: new Error("secret") });
  expect(error.message).toBe(sentenceOf("state_missing", "en", { dir: "/x" }));
  expect(error.sentence("zh")).toContain("/x");
  expect(error.message + error.sentence("zh")).not.toContain("secret");
  expect(error.category).toBe("validation");
});
