/** The commerce server in this process, over a linked pair of transports: the same factory, with a clock and a log the test holds. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { Kysely } from "kysely";
import type { CommerceTables } from "../../src/commerce-mcp/commerce-tables.js";
import { readProfiles, readRefundRules } from "../../src/commerce-mcp/data-files.js";
import { openCommerceDatabase, readBusinessDate } from "../../src/commerce-mcp/database.js";
import { importPublicKey } from "../../src/commerce-mcp/grants.js";
import { readPolicyBasis } from "../../src/commerce-mcp/policy-basis.js";
import { type CommerceDependencies, createCommerceServer } from "../../src/commerce-mcp/server.js";
import { type CommerceConnection, callTool } from "./commerce-client.js";
import type { Shop } from "./commerce-shop.js";

export type InMemoryCommerce = CommerceConnection & { db: Kysely<CommerceTables>; log: string[] };

export async function startInMemory(
  shop: Shop,
  profile: string,
  changes: Partial<CommerceDependencies> = {},
): Promise<InMemoryCommerce> {
  const log: string[] = [];
  const db = await openCommerceDatabase(shop.database);
  const businessDate = await readBusinessDate(db);
  const rules = readRefundRules(shop.dataDir);
  const server = createCommerceServer({
    db,
    identity: shop.profile(profile),
    rules,
    basis: readPolicyBasis(shop.dataDir, rules, businessDate),
    businessDate,
    publicKey: await importPublicKey(shop.keys.publicKeyText),
    clock: { nowMs: () => Date.now() },
    readProfiles: () => readProfiles(shop.dataDir),
    log: (line) => log.push(line),
    allowWrites: true,
    ...changes,
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return {
    client,
    db,
    log,
    call: (name, args) => callTool(client, name, args),
    close: async () => {
      await client.close();
      await db.destroy();
    },
  };
}
