/** Owns the closed set of error codes: their category, whether trying again can help, and one sentence per language saying what to do. */
import type { ErrorCategory, ToolErrorWire } from "./commerce-wire.js";
import { APPROVAL_ERRORS } from "./error-codes/approval.js";
import { COMMERCE_ERRORS } from "./error-codes/commerce.js";
import type { ErrorEntry } from "./error-codes/entry.js";
import { INPUT_ERRORS } from "./error-codes/input.js";
import { MODEL_ERRORS } from "./error-codes/model.js";
import { TOOL_ERRORS } from "./error-codes/tools.js";
import type { Language } from "./ids.js";

const TABLE = { ...INPUT_ERRORS, ...MODEL_ERRORS, ...TOOL_ERRORS, ...COMMERCE_ERRORS, ...APPROVAL_ERRORS };

export type ErrorCode = keyof typeof TABLE;

/** Values for the `{name}` places of a sentence. Never secrets, never text a stranger wrote. */
export type ErrorDetails = Record<string, string>;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(TABLE, code);
}

export function categoryOf(code: ErrorCode): ErrorCategory {
  return TABLE[code].category;
}

/** Trying again can help after a transient failure, or with changed arguments after a validation error. */
export function isRetryable(category: ErrorCategory): boolean {
  return category === "transient" || category === "validation";
}

/** The sentence for a person, with its values filled in. A value in brackets that is not known is left out with its brackets. */
export function sentenceOf(code: ErrorCode, language: Language, details: ErrorDetails = {}): string {
  const entry: ErrorEntry = TABLE[code];
  return entry[language]
    .replace(/ ?[(（]\{(\w+)\}[)）]/g, (whole, name: string) => (details[name] === undefined ? "" : whole))
    .replace(/\{(\w+)\}/g, (_whole, name: string) => details[name] ?? "?");
}

/** What a model may read about a failed call: our own words only. */
export function toolError(code: ErrorCode): ToolErrorWire {
  const category = categoryOf(code);
  return { category, code, retryable: isRetryable(category), message: sentenceOf(code, "en") };
}

/** A broken promise. Expected refusals are values; this is thrown when work cannot go on. `cause` is for the event log only. */
export class AftersalesError extends Error {
  override name = "AftersalesError";
  readonly category: ErrorCategory;

  constructor(
    readonly code: ErrorCode,
    readonly details: ErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(sentenceOf(code, "en", details), options);
    this.category = categoryOf(code);
  }

  sentence(language: Language): string {
    return sentenceOf(this.code, language, this.details);
  }
}
