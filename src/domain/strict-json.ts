/** Owns reading JSON that somebody else wrote. Each defect keeps its own code; nothing that JSON.parse tolerates silently gets through. */
import { LIMITS } from "./limits.js";

export type JsonDefect =
  | "invalid_json_size"
  | "invalid_json"
  | "nonfinite_json"
  | "duplicate_json_key"
  | "expected_object";

export type ParsedObject = { ok: true; value: Record<string, unknown> } | { ok: false; code: JsonDefect };

/** Parses one JSON object. `maxChars` bounds the text before it is looked at. Repeated keys, NaN, Infinity and 1e999 are refused. */
export function parseJsonObject(text: unknown, maxChars: number = LIMITS.modelJsonChars): ParsedObject {
  if (typeof text !== "string" || text.length > maxChars) return { ok: false, code: "invalid_json_size" };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const outsideStrings = text.replace(/"(?:[^"\\]|\\.)*"/gs, '""');
    return { ok: false, code: /\b(NaN|Infinity)\b/.test(outsideStrings) ? "nonfinite_json" : "invalid_json" };
  }
  if (hasNonFinite(value)) return { ok: false, code: "nonfinite_json" };
  if (hasDuplicateKey(text)) return { ok: false, code: "duplicate_json_key" };
  return isPlainObject(value) ? { ok: true, value } : { ok: false, code: "expected_object" };
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasNonFinite(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasNonFinite);
}

/** Walks text that JSON.parse has already accepted; a string followed by a colon is a key of the innermost open object. */
function hasDuplicateKey(text: string): boolean {
  const open: Set<string>[] = [];
  const token = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/gs;
  for (const match of text.matchAll(token)) {
    const part = match[0];
    if (part === "{" || part === "[") open.push(new Set());
    else if (part === "}" || part === "]") open.pop();
    else if (match[1] !== undefined) {
      const key = String(JSON.parse(part.slice(0, part.length - match[1].length)));
      const keys = open.at(-1);
      if (keys?.has(key)) return true;
      keys?.add(key);
    }
  }
  return false;
}
