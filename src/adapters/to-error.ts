/** Owns turning whatever was thrown into one of our codes. What a stranger's exception says goes to the event log as a cause, nowhere else. */
import { AftersalesError } from "../domain/errors.js";
import { isBusy } from "../sqlite/dialect.js";
import { NewerDatabase } from "../sqlite/open.js";

const STORAGE_CODES = [
  "SQLITE_FULL",
  "SQLITE_READONLY",
  "SQLITE_IOERR",
  "SQLITE_CORRUPT",
  "SQLITE_NOTADB",
  "SQLITE_CANTOPEN",
];
const FILE_CODES = [
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOSPC",
  "EDQUOT",
  "EIO",
  "EMFILE",
  "ENFILE",
  "EEXIST",
  "EISDIR",
  "ENOTDIR",
];

export function toAftersalesError(error: unknown): AftersalesError {
  if (error instanceof AftersalesError) return error;
  const cause = { cause: error };
  if (error instanceof NewerDatabase) return new AftersalesError("database_newer", { file: error.file }, cause);
  if (isBusy(error)) return new AftersalesError("database_busy", {}, cause);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const storage = STORAGE_CODES.find((known) => code.startsWith(known));
  if (storage !== undefined) return new AftersalesError("database_failed", { detail: storage }, cause);
  if (FILE_CODES.includes(code)) return new AftersalesError("file_refused", { detail: code }, cause);
  if (error instanceof Error && error.name === "AbortError") return new AftersalesError("cancelled", {}, cause);
  return new AftersalesError("internal_error", {}, cause);
}
