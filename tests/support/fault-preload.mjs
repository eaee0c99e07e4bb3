/**
 * Loaded with `node --import fault-preload.mjs?{JSON}` before a program: counts its database writes, kills it at one of them, stops it before
 * one of its transactions until the door at `knock` opens, moves its clock, or leaves its databases no room. `log` names a file that gets one
 * line per write, `skewMs` is added to the wall clock.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";

const {
  log,
  at = 0,
  when = "before",
  knock,
  transaction = 0,
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

const KNOCK = fileURLToPath(new URL("fault-knock.mjs", import.meta.url));
const seen = new Set();
let count = 0;
let begun = 0;
const die = () => process.kill(process.pid, "SIGKILL");

/** What begins a transaction holds no lock before it, so that it can be stopped there without holding up anybody else. */
function kindOf(text, database) {
  seen.add(database);
  if (/^\s*commit/i.test(text)) return "commit";
  return [...seen].some(({ open, inTransaction }) => open && inTransaction) ? "write" : "begin";
}

/** A commit is a point of its own: before it nothing has happened, after it everything has. */
function counted(text, database, work) {
  const kind = kindOf(text, database);
  count += 1;
  if (log !== undefined) appendFileSync(log, `${kind} ${basename(database.name)}\n`);
  if (count === at && when === "before") die();
  if (kind === "begin") {
    begun += 1;
    if (begun === transaction) spawnSync(process.execPath, [KNOCK, knock, database.name]);
  }
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
    return !this.readonly || /^\s*commit/i.test(this.source) ? counted(this.source, this.database, work) : work();
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
