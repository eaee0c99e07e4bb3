/** Owns naming the state of a data directory by one hash, so that a measurement says what it measured. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { AftersalesError } from "../domain/errors.js";

/**
 * SHA-256 over all files below the directory in the order of their names: for each its path with forward slashes, a NUL, its length in
 * bytes, a NUL, its bytes. Hidden files are left out. Throws `data_invalid`.
 */
export function dataHashOf(dataDir: string): string {
  const hash = createHash("sha256");
  for (const name of fileNamesBelow(dataDir)) {
    const bytes = readFileSync(join(dataDir, name));
    hash.update(`${name}\0${bytes.length}\0`, "utf8").update(bytes);
  }
  return hash.digest("hex");
}

function fileNamesBelow(dataDir: string): string[] {
  try {
    return readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
      .map((entry) => relative(dataDir, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .sort();
  } catch (error) {
    throw new AftersalesError(
      "data_invalid",
      { file: dataDir, detail: "cannot be read as a folder" },
      { cause: error },
    );
  }
}
