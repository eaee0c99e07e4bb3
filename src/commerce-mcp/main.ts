#!/usr/bin/env node
/** Owns the process: its arguments, its files, its standard streams, its end. */
import "./stdout-guard.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { AftersalesError } from "../domain/errors.js";
import { isBusy } from "../sqlite/dialect.js";
import { NewerDatabase } from "../sqlite/open.js";
import { readBusinessData, readProfiles, readRefundRules } from "./data-files.js";
import { createCommerceDatabase, openCommerceDatabase, readBusinessDate } from "./database.js";
import { importPublicKey } from "./grants.js";
import { type Options, parseOptions } from "./options.js";
import { readPolicyBasis } from "./policy-basis.js";
import { createCommerceServer } from "./server.js";
import { protocolOut } from "./stdout-guard.js";
import { classOf } from "./tool-results.js";

/** No request comes near this; a longer line is not one of ours. */
const MAX_MESSAGE_BYTES = 1 << 20;

async function main(argv: readonly string[]): Promise<void> {
  const options = parseOptions(argv);
  if (options.kind === "create") await create(options);
  else await serve(options);
}

/** Everything the service will need is checked before the file appears. */
async function create({ database, data }: Options): Promise<void> {
  await createCommerceDatabase(database, () => {
    const business = readBusinessData(data);
    readProfiles(data);
    readPolicyBasis(data, readRefundRules(data), business.as_of);
    return business;
  });
}

async function serve({
  database,
  data,
  publicKey,
  profile,
  allowWrites,
}: Extract<Options, { kind: "serve" }>): Promise<void> {
  const profiles = readProfiles(data);
  const identity = profiles.find(({ user }) => user === profile);
  if (identity === undefined) {
    const known = profiles.map(({ user }) => user).join(", ");
    throw new AftersalesError("unknown_profile", { profile, known });
  }
  const rules = readRefundRules(data);
  const key = await importPublicKey(publicKey);
  const db = await openCommerceDatabase(database);
  const businessDate = await readBusinessDate(db);
  const server = createCommerceServer({
    db,
    identity,
    rules,
    basis: readPolicyBasis(data, rules, businessDate),
    businessDate,
    publicKey: key,
    clock: { nowMs: () => Date.now() },
    readProfiles: () => readProfiles(data),
    log: say,
    allowWrites,
  });
  const stop = () => {
    db.destroy().then(() => process.exit(0), fail);
  };
  // The transport does not notice its client's end: without this the process would outlive a host that crashed.
  process.stdin.on("end", stop);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
  for (const stream of [protocolOut, process.stdin]) stream.on("error", stop);
  // A message over the limit closes the transport, after which nothing would ever be answered again.
  server.server.onclose = stop;
  await server.connect(new StdioServerTransport(process.stdin, protocolOut, { maxBufferSize: MAX_MESSAGE_BYTES }));
}

function say(line: string): void {
  process.stderr.write(`aftersales-commerce: ${line.replace(/\s+/g, " ")}\n`);
}

/** One line and no stack: what goes to stderr may end up in a customer's terminal. */
function fail(error: unknown): void {
  const known = error instanceof AftersalesError ? error : broken(error);
  say(`${known.sentence("en")} (${known.code})`);
  process.exit(1);
}

/** SQLite and the file system both name their trouble by a code; anything else is a defect. */
function broken(cause: unknown): AftersalesError {
  if (isBusy(cause)) return new AftersalesError("database_busy", {}, { cause });
  if (cause instanceof NewerDatabase) return new AftersalesError("database_newer", { file: cause.file }, { cause });
  const detail = classOf(cause);
  const ofStorage = / (SQLITE_|E[A-Z]+$)/.test(detail);
  return new AftersalesError(ofStorage ? "database_failed" : "service_failed", { detail }, { cause });
}

process.umask(0o077);
process.on("uncaughtException", fail);
process.on("unhandledRejection", fail);
main(process.argv.slice(2)).catch(fail);
