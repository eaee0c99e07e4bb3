/** Owns what a tool call answers: the form of a success, the form of an error, and which code a failure gets. Exception text never gets in. */
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { ERROR_META_KEY } from "../domain/commerce-wire.js";
import { AftersalesError, type ErrorCode, toolError } from "../domain/errors.js";
import { Refusal } from "./refusal.js";

/** SQLite's own families of "could not read or write just now"; the rest (constraint, syntax, misuse) are defects of this program. */
const UNREADABLE =
  /^SQLITE_(BUSY|LOCKED|CANTOPEN|IOERR|CORRUPT|NOTADB|FULL|READONLY|PERM|AUTH|NOMEM|PROTOCOL|NOLFS|SCHEMA|INTERRUPT)(_|$)/;

/** `data` must already be the parsed, strict object: whatever it holds goes over the wire twice, as text and structured. */
export function succeeded(data: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: data };
}

/** Carried twice: as JSON text, which survives every client, and in `_meta` for host code. No structured content: clients would check it against the output schema. */
export function failed(code: ErrorCode): CallToolResult {
  const error = toolError(code);
  return {
    isError: true,
    content: [{ type: "text", text: JSON.stringify({ error }) }],
    _meta: { [ERROR_META_KEY]: error },
  };
}

/** The code for whatever a tool threw. Not being able to read is never reported as "does not exist". */
export function codeOf(error: unknown): ErrorCode {
  if (error instanceof Refusal) return error.code;
  const unreadable =
    error instanceof AftersalesError ? error.code === "data_invalid" : UNREADABLE.test(sqliteCode(error));
  return unreadable ? "store_unreadable" : "service_failed";
}

/** What the operator may know about a failure: class and code, because messages hold SQL, values and paths. */
export function classOf(error: unknown): string {
  if (error instanceof AftersalesError) return `${error.code} ${error.details.file ?? ""}`.trimEnd();
  if (error instanceof Refusal) return error.code;
  const name = error instanceof Error ? error.name : typeof error;
  return `${name} ${sqliteCode(error)}`.trimEnd();
}

function sqliteCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
