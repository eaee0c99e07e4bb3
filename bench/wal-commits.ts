/** Owns counting write transactions from outside: SQLite marks the last page of each commit in the write-ahead log. */
import { existsSync, readFileSync } from "node:fs";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * How many transactions have changed `database` since its log last began anew. Exact as long as the log has not been carried back into
 * the file in between, which SQLite does after some thousand pages and when the last connection closes.
 */
export function writeTransactions(database: string): number {
  const path = `${database}-wal`;
  const log = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  if (log.length < HEADER_BYTES) return 0;
  const pageBytes = log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let commits = 0;
  for (let at = HEADER_BYTES; at + FRAME_HEADER_BYTES <= log.length; at += FRAME_HEADER_BYTES + pageBytes) {
    // Frames of an earlier round of the log carry another salt.
    if (!log.subarray(at + 8, at + 16).equals(salt)) break;
    if (log.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return commits;
}
