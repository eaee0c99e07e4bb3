/** Owns the one text form that digests are computed over: RFC 8785 canonical JSON. */
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { Sha256Hex } from "./ids.js";

/**
 * RFC 8785 text of a value made of strings, finite numbers, booleans, null, arrays and plain objects.
 * The library drops `undefined` members without a word, which would let two different values share a digest, so they are refused here.
 * Throws `TypeError` for anything that is not plain JSON.
 */
export function canonicalJson(value: unknown): string {
  assertPlainJson(value);
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("not JSON");
  return text;
}

/** SHA-256 over `prefix`, a newline and the canonical JSON. The prefix keeps digests of different kinds of things apart. */
export function digestOf(prefix: string, value: unknown): Sha256Hex {
  return Sha256Hex.parse(
    createHash("sha256")
      .update(`${prefix}\n${canonicalJson(value)}`, "utf8")
      .digest("hex"),
  );
}

/** SHA-256 of a text as it stands, in UTF-8. */
export function textHash(text: string): Sha256Hex {
  return Sha256Hex.parse(createHash("sha256").update(text, "utf8").digest("hex"));
}

/** Throws `TypeError` when a value would not survive JSON unchanged (undefined, BigInt, NaN, Date, class instances, cycles). */
export function assertPlainJson(value: unknown, path = "$", above: readonly object[] = []): void {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`${path} is not a finite number`);
    return;
  }
  if (typeof value !== "object") throw new TypeError(`${path} is ${typeof value}, not JSON`);
  if (above.includes(value)) throw new TypeError(`${path} contains itself`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`${path} is not a plain object`);
  }
  for (const [key, member] of Object.entries(value)) assertPlainJson(member, `${path}.${key}`, [...above, value]);
}
