/** The commerce service in this process, behind a socket that a relay process connects to the host: real protocol and database, the test's clock. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Transform } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";
import { readProfiles, readRefundRules } from "../../src/commerce-mcp/data-files.js";
import { openCommerceDatabase, readBusinessDate } from "../../src/commerce-mcp/database.js";
import { importPublicKey } from "../../src/commerce-mcp/grants.js";
import { parseOptions } from "../../src/commerce-mcp/options.js";
import { readPolicyBasis } from "../../src/commerce-mcp/policy-basis.js";
import { createCommerceServer } from "../../src/commerce-mcp/server.js";
import type { Clock } from "../../src/domain/clock.js";
import { ROOT } from "./workspace.js";

export type BridgedCommerce = {
  process: { command: string; args: string[] };
  /** How many receipts from now on never reach the host: the line breaks instead, after the service has committed. */
  loseReceipts: number;
  /** Called when the service has committed a payment and before the host hears of it. */
  onReceipt: () => void;
  close(): Promise<void>;
};

export async function startBridgedCommerce(clock: Clock): Promise<BridgedCommerce> {
  const folder = mkdtempSync(join(tmpdir(), "lifecycle-line-"));
  const path = join(folder, "line");
  const open = new Set<Promise<void>>();
  const listener = createServer((socket) => {
    const serving = serve(socket, clock, bridged).finally(() => open.delete(serving));
    open.add(serving);
  });
  const bridged: BridgedCommerce = {
    process: { command: process.execPath, args: [join(ROOT, "tests", "support", "lifecycle-relay.mjs"), path] },
    loseReceipts: 0,
    onReceipt: () => undefined,
    async close() {
      await Promise.all(open);
      await new Promise((done) => listener.close(done));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await new Promise<void>((done) => listener.listen(path, done));
  return bridged;
}

/** One process of the service: from its arguments, the first line, to the end of the line. */
async function serve(socket: Socket, clock: Clock, bridged: BridgedCommerce): Promise<void> {
  socket.on("error", () => undefined);
  const ended = once(socket, "close");
  const options = parseOptions(z.array(z.string()).parse(JSON.parse(await firstLine(socket))));
  if (options.kind !== "serve") throw new Error("the bridge only serves");
  const db = await openCommerceDatabase(options.database);
  try {
    const businessDate = await readBusinessDate(db);
    const rules = readRefundRules(options.data);
    const identity = readProfiles(options.data).find(({ user }) => user === options.profile);
    if (identity === undefined) throw new Error("no such profile");
    const server = createCommerceServer({
      db,
      identity,
      rules,
      basis: readPolicyBasis(options.data, rules, businessDate),
      businessDate,
      publicKey: await importPublicKey(options.publicKey),
      clock,
      readProfiles: () => readProfiles(options.data),
      log: () => undefined,
      allowWrites: options.allowWrites,
    });
    const replies = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        if (!chunk.includes('"receipt_id":"SIM-')) return done(null, chunk);
        bridged.onReceipt();
        if (bridged.loseReceipts === 0) return done(null, chunk);
        bridged.loseReceipts -= 1;
        socket.destroy();
        done();
      },
    });
    replies.pipe(socket);
    await server.connect(new StdioServerTransport(socket, replies));
    await ended;
    await server.close();
  } finally {
    await db.destroy();
  }
}

/** Reads up to the first line break and puts back what came after it. */
async function firstLine(socket: Socket): Promise<string> {
  let text = "";
  for (;;) {
    const chunk: unknown = socket.read();
    if (chunk === null) await once(socket, "readable");
    text += Buffer.isBuffer(chunk) ? chunk.toString("utf8") : "";
    const end = text.indexOf("\n");
    if (end === -1) continue;
    const rest = text.slice(end + 1);
    if (rest !== "") socket.unshift(Buffer.from(rest));
    return text.slice(0, end);
  }
}
