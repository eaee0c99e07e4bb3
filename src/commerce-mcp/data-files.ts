/** Owns reading the data directory. Whoever wrote a wrong file is told the file, the record, the field and what to do (`data_invalid`). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { BusinessData, businessDataProblems } from "../domain/business-data.js";
import { AftersalesError } from "../domain/errors.js";
import { type Identity, ProfilesFile } from "../domain/identity.js";
import { DocumentProblem, type PolicyDocument, parsePolicyDocument } from "../domain/policy-document.js";
import { RefundRules } from "../domain/refund-rules.js";
import { isPlainObject, type JsonDefect, parseJsonObject } from "../domain/strict-json.js";

const BUSINESS_FILE = "business.json";
const PROFILES_FILE = "profiles.json";
export const RULES_FILE = "refund_rules.json";
export const KNOWLEDGE_DIR = "knowledge";

/** Far above any data set this program is for; a larger file is a mistake. */
const MAX_FILE_CHARS = 20_000_000;

const DEFECTS: Record<JsonDefect, string> = {
  invalid_json_size: "is too large",
  invalid_json: "is not valid JSON; check quotes, commas and brackets",
  nonfinite_json: "holds NaN or an infinite number",
  duplicate_json_key: "repeats a key inside one object",
  expected_object: "must hold one JSON object",
};

/** Orders, products and the business date. Only needed to seed a database. Throws `data_invalid`. */
export function readBusinessData(dir: string): BusinessData {
  const data = readJson(dir, BUSINESS_FILE, BusinessData);
  const [problem] = businessDataProblems(data);
  if (problem !== undefined) {
    throw new AftersalesError("data_invalid", {
      file: BUSINESS_FILE,
      detail: `${problem.record}, field "${problem.field}": ${problem.problem}`,
    });
  }
  return data;
}

/** Who exists. A profile's name is its user, so no user may appear twice. Throws `data_invalid`. */
export function readProfiles(dir: string): Identity[] {
  const { profiles } = readJson(dir, PROFILES_FILE, ProfilesFile);
  const users = profiles.map(({ user }) => user);
  const twice = users.find((user, index) => users.indexOf(user) !== index);
  if (twice !== undefined) {
    throw new AftersalesError("data_invalid", {
      file: PROFILES_FILE,
      detail: `profile ${twice}, field "user": appears twice; give each profile its own name`,
    });
  }
  return profiles;
}

/** The executable refund policy. Throws `data_invalid`. */
export function readRefundRules(dir: string): RefundRules {
  return readJson(dir, RULES_FILE, RefundRules);
}

/** Every policy document with the name of its file. Throws `data_invalid` for the first that does not parse. */
export function readPolicyDocuments(dir: string): { file: string; document: PolicyDocument }[] {
  return documentFiles(dir).map((name) => {
    const file = `${KNOWLEDGE_DIR}/${name}`;
    const text = readText(dir, file);
    try {
      return { file, document: parsePolicyDocument(text) };
    } catch (cause) {
      if (!(cause instanceof DocumentProblem)) throw cause;
      throw new AftersalesError("data_invalid", { file, detail: cause.message }, { cause });
    }
  });
}

function documentFiles(dir: string): string[] {
  try {
    return readdirSync(join(dir, KNOWLEDGE_DIR))
      .filter((name) => name.endsWith(".md"))
      .sort();
  } catch (cause) {
    throw unreadable(KNOWLEDGE_DIR, dir, cause);
  }
}

function readJson<Schema extends z.ZodType>(dir: string, file: string, schema: Schema): z.output<Schema> {
  const json = parseJsonObject(readText(dir, file), MAX_FILE_CHARS);
  if (!json.ok) throw new AftersalesError("data_invalid", { file, detail: DEFECTS[json.code] });
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const detail = `${placeOf(json.value, issue?.path ?? [])}: ${issue?.message ?? "does not fit"}`;
  throw new AftersalesError("data_invalid", { file, detail });
}

function readText(dir: string, file: string): string {
  try {
    return readFileSync(join(dir, file), "utf8");
  } catch (cause) {
    throw unreadable(file, dir, cause);
  }
}

function unreadable(file: string, dir: string, cause: unknown): AftersalesError {
  const detail = `cannot be read in ${dir}; restore it or pass the right --data`;
  return new AftersalesError("data_invalid", { file, detail }, { cause });
}

/** Names a record the way its author does (by its own id, if it has one) and then the field inside it. */
function placeOf(value: unknown, path: readonly PropertyKey[]): string {
  let at: unknown = value;
  let record = "the file";
  let field: string[] = [];
  for (const key of path) {
    at = isPlainObject(at) || Array.isArray(at) ? Reflect.get(at, key) : undefined;
    field = [...field, String(key)];
    if (typeof key !== "number") continue;
    const id = isPlainObject(at) ? (at.order_id ?? at.sku ?? at.user) : undefined;
    record = typeof id === "string" ? id : `entry ${key + 1} of ${field[0]}`;
    field = [];
  }
  return field.length === 0 ? record : `${record}, field "${field.join(".")}"`;
}
