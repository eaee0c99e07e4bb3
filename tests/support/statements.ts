/** Watches the statements that run on SQLite connections of this process, so that a test can make one fail or the connection end. */
import Database from "better-sqlite3";
import { vi } from "vitest";

/** Calls `watch` before each run of a statement that was prepared after this call; what it throws, the statement throws. */
export function watchStatements(watch: (database: Database.Database, sql: string) => void): { restore: () => void } {
  const prepare = Database.prototype.prepare;
  let watching = true;
  const spy = vi.spyOn(Database.prototype, "prepare").mockImplementation(function (
    this: Database.Database,
    sql: string,
  ) {
    const statement: Database.Statement = Reflect.apply(prepare, this, [sql]);
    for (const method of ["run", "all", "get"] as const) {
      const original = statement[method];
      Object.defineProperty(statement, method, {
        value: (...values: unknown[]) => {
          if (watching) watch(this, sql);
          return Reflect.apply(original, statement, values);
        },
      });
    }
    return statement;
  });
  return {
    restore() {
      watching = false;
      spy.mockRestore();
    },
  };
}
