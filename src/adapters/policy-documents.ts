/** Owns reading the documents of a data directory. A directory that does not hold together refuses to load, with file, page and advice. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AftersalesError } from "../domain/errors.js";
import { DocumentProblem, type PolicyDocument, parsePolicyDocument } from "../domain/policy-document.js";

/** Throws `data_invalid` naming the file and what to change in it. */
export function loadPolicyDocuments(dataDir: string): PolicyDocument[] {
  const folder = join(dataDir, "knowledge");
  const files = readdirOr(folder).filter((name) => name.endsWith(".md"));
  const seen = new Map<string, string>();
  return files.sort().map((name) => {
    const file = `knowledge/${name}`;
    try {
      const document = parsePolicyDocument(readFileSync(join(folder, name), "utf8"));
      const first = seen.get(document.header.id);
      if (first !== undefined) throw new DocumentProblem(`id ${document.header.id} is already used by ${first}`);
      seen.set(document.header.id, file);
      return document;
    } catch (error) {
      if (error instanceof DocumentProblem) throw new AftersalesError("data_invalid", { file, detail: error.message });
      throw error;
    }
  });
}

function readdirOr(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw new AftersalesError(
      "data_invalid",
      { file: "knowledge", detail: "the folder cannot be read" },
      { cause: error },
    );
  }
}
