/** Owns telling how many bytes of a database hold something: pages in use, not the size of a file that still has room inside. */
import Database from "better-sqlite3";

export function bytesInUse(database: string): number {
  const opened = new Database(database, { readonly: true, fileMustExist: true });
  const pragma = (name: string): number => Number(opened.pragma(name, { simple: true }));
  try {
    return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
  } finally {
    opened.close();
  }
}
