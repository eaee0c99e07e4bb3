/** Owns keeping prepared statements: preparing one takes SQLite longer than running most of them. */

/** Longer ones are rare, such as a row list of a size that will hardly come again. */
const MAX_KEPT_CHARS = 2_000;

/** Prepares each text once. SQLite itself prepares a kept statement again when the schema has changed. */
export function keepStatements<Statement>(prepare: (sql: string) => Statement): (sql: string) => Statement {
  const kept = new Map<string, Statement>();
  return (sql) => {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const statement = prepare(sql);
    if (sql.length <= MAX_KEPT_CHARS) kept.set(sql, statement);
    return statement;
  };
}
