/** Owns checking a whole data directory: the strict loading the program itself does, with every defect told instead of only the first. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { BusinessData, businessDataProblems } from "../domain/business-data.js";
import { AftersalesError } from "../domain/errors.js";
import { ProfilesFile } from "../domain/identity.js";
import { DocumentProblem, type PolicyDocument, parsePolicyDocument } from "../domain/policy-document.js";
import { RefundRules } from "../domain/refund-rules.js";
import { isPlainObject, type JsonDefect, parseJsonObject } from "../domain/strict-json.js";
import { crossings, type DataDefect } from "./data-crossings.js";
import { loadProcedures } from "./procedures.js";
import { loadRetrievalQuestions, type RetrievalQuestions } from "./retrieval-questions.js";
import { loadSynonyms } from "./synonyms.js";

export type { DataDefect };

export type DataReport = {
  counts: Record<
    | "products"
    | "orders"
    | "profiles"
    | "documents"
    | "pages"
    | "passages"
    | "procedures"
    | "synonymGroups"
    | "questions",
    number
  >;
  documents: { id: string; version: string; status: string; tenant: string; pages: number; passages: number }[];
  /** The executable refund rule in one sentence, null when it could not be read. */
  rule: string | null;
  defects: DataDefect[];
};

/** Far above any data set this program is for; a larger file is a mistake. */
const MAX_FILE_CHARS = 20_000_000;

const JSON_ADVICE: Record<JsonDefect, string> = {
  invalid_json_size: `is larger than ${MAX_FILE_CHARS} characters; split or shorten it`,
  invalid_json: "is not valid JSON; check quotes, commas and brackets",
  nonfinite_json: "holds NaN or an infinite number; write a plain number",
  duplicate_json_key: "repeats a key inside one object; keep one",
  expected_object: "must hold one JSON object",
};

/** Reads everything below a data directory. Never throws for what stands in it. */
export function inspectData(dataDir: string): DataReport {
  const defects: DataDefect[] = [];
  const business = readChecked(dataDir, "business.json", BusinessData, defects);
  const profiles = readChecked(dataDir, "profiles.json", ProfilesFile, defects)?.profiles ?? null;
  const rules = readChecked(dataDir, "refund_rules.json", RefundRules, defects);
  const documents = readDocuments(dataDir, defects);
  const procedures = attempt(defects, () => loadProcedures(dataDir).list().length);
  const synonyms = attempt(defects, () => loadSynonyms(dataDir).length);
  const questions = readQuestions(dataDir, defects);
  for (const { record, field, problem } of business === null ? [] : businessDataProblems(business)) {
    defects.push({ file: "business.json", place: `${record}, field "${field}"`, advice: problem });
  }
  defects.push(...crossings({ business, profiles, rules, documents, questions }));
  const pages = documents.flatMap(({ document }) => document.pages);
  return {
    counts: {
      products: business?.products.length ?? 0,
      orders: business?.orders.length ?? 0,
      profiles: profiles?.length ?? 0,
      documents: documents.length,
      pages: pages.length,
      passages: pages.flatMap((page) => page.passages).length,
      procedures: procedures ?? 0,
      synonymGroups: synonyms ?? 0,
      questions: (questions?.questions.length ?? 0) + (questions?.unanswerable.length ?? 0),
    },
    documents: documents.map(({ document: { header, pages: own } }) => ({
      id: header.id,
      version: header.version,
      status: header.status,
      tenant: header.tenant,
      pages: own.length,
      passages: own.flatMap((page) => page.passages).length,
    })),
    rule: rules === null ? null : sentenceOf(rules),
    defects,
  };
}

function sentenceOf(rules: RefundRules): string {
  const excluded = rules.excluded_categories.length === 0 ? "nothing" : rules.excluded_categories.join(" and ");
  return (
    `${rules.version} for ${rules.tenant}: within ${rules.return_days} days of delivery, ${rules.automatic_quantity} item, ` +
    `${excluded} excluded, resting on ${rules.policy_pages.join(" and ")}. ${rules.description.en}`
  );
}

function readChecked<Schema extends z.ZodType>(
  dataDir: string,
  file: string,
  schema: Schema,
  defects: DataDefect[],
): z.output<Schema> | null {
  let text: string;
  try {
    text = readFileSync(join(dataDir, file), "utf8");
  } catch {
    defects.push({ file, place: "the file", advice: "cannot be read; restore it or name another directory" });
    return null;
  }
  const json = parseJsonObject(text, MAX_FILE_CHARS);
  if (!json.ok) {
    defects.push({ file, place: "the file", advice: JSON_ADVICE[json.code] });
    return null;
  }
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    defects.push({ file, place: placeOf(json.value, issue.path), advice: issue.message });
  }
  return null;
}

/** Names a record as its author does, by its own id, and then the field inside it. */
function placeOf(value: unknown, path: readonly PropertyKey[]): string {
  let at: unknown = value;
  let record: string | null = null;
  let field: string[] = [];
  for (const key of path) {
    at = isPlainObject(at) || Array.isArray(at) ? Reflect.get(at, key) : undefined;
    field.push(String(key));
    if (typeof key !== "number") continue;
    const id = isPlainObject(at) ? (at.order_id ?? at.sku ?? at.user) : undefined;
    if (typeof id !== "string" && record !== null) continue;
    record = typeof id === "string" ? id : `entry ${key + 1} of ${field[0]}`;
    field = [];
  }
  const inside = field.length === 0 ? "" : `field "${field.join(".")}"`;
  return [record ?? "", inside].filter((part) => part !== "").join(", ") || "the file";
}

function readDocuments(dataDir: string, defects: DataDefect[]): { file: string; document: PolicyDocument }[] {
  let names: string[];
  try {
    names = readdirSync(join(dataDir, "knowledge")).filter((name) => name.endsWith(".md"));
  } catch {
    defects.push({ file: "knowledge", place: "the folder", advice: "cannot be read; put the policy documents there" });
    return [];
  }
  const read: { file: string; document: PolicyDocument }[] = [];
  for (const name of names.sort()) {
    const file = `knowledge/${name}`;
    try {
      const document = parsePolicyDocument(readFileSync(join(dataDir, file), "utf8"));
      const first = read.find((other) => other.document.header.id === document.header.id);
      if (first !== undefined) {
        throw new DocumentProblem(`id ${document.header.id} is already used by ${first.file}; give each its own`);
      }
      read.push({ file, document });
    } catch (error) {
      if (!(error instanceof DocumentProblem)) throw error;
      const page = /\b[A-Z][A-Z_]+:p[0-9]{2}\b/.exec(error.message)?.[0];
      defects.push({ file, place: page ?? "the document", advice: error.message });
    }
  }
  return read;
}

function readQuestions(dataDir: string, defects: DataDefect[]): RetrievalQuestions | null {
  const present = readdirSync(dataDir, { withFileTypes: true }).some(({ name }) => name === "evaluation");
  return present ? attempt(defects, () => loadRetrievalQuestions(dataDir)) : null;
}

/** For loaders that stop at their first defect. */
function attempt<T>(defects: DataDefect[], load: () => T): T | null {
  try {
    return load();
  } catch (error) {
    if (!(error instanceof AftersalesError) || error.code !== "data_invalid") throw error;
    const { file = "", detail = "" } = error.details;
    defects.push({ file, place: "the file", advice: detail });
    return null;
  }
}
