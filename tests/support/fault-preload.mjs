/**
 * Loaded with `node --import fault-preload.mjs?{JSON}` before a program: counts its database writes, kills it at one of them, moves its clock,
 * or leaves its databases no room. `log` names a file that gets one line per write, `skewMs` is added to the wall clock.
 */
import { appendFileSync } from "node:fs";
import Database from "better-sqlite3";

const {
  log,
  at = 0,
  when = "before",
  skewMs = 0,
  full = false,
} = JSON.parse(decodeURIComponent(new URL(import.meta.url).search.slice(1)));

if (skewMs !== 0) {
  const RealDate = Date;
  const now = () => RealDate.now() + skewMs;
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      super(...(given.length === 0 ? [now()] : given));
    }
    static now() {
      return now();
    }
  };
}

let count = 0;
const die = () => process.kill(process.pid, "SIGKILL");

/** A commit is a point of its own: before it nothing has happened, after it everything has. */
function counted(text, work) {
  count += 1;
  if (log !== undefined) appendFileSync(log, `${/^\s*commit/i.test(text) ? "commit" : "write"}\n`);
  if (count === at && when === "before") die();
  const result = work();
  if (count === at && when === "after") die();
  return result;
}

const probe = new Database(":memory:");
const Statement = Object.getPrototypeOf(probe.prepare("select 1"));
probe.close();
for (const name of ["run", "get", "all"]) {
  const original = Statement[name];
  Statement[name] = function (...given) {
    const work = () => original.apply(this, given);
    return !this.readonly || /^\s*commit/i.test(this.source) ? counted(this.source, work) : work();
  };
}

if (full) {
  const prepare = Database.prototype.prepare;
  const limited = new WeakSet();
  Database.prototype.prepare = function (...given) {
    if (!limited.has(this)) {
      limited.add(this);
      const pages = prepare.call(this, "pragma page_count").pluck().get();
      prepare.call(this, `pragma max_page_count = ${pages}`).get();
    }
    return prepare.apply(this, given);
  };
}
