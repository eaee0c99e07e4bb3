/** A seeded shop on disk: data directory, database file, grant keys, and reading the money back with a connection of its own. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { OrderRow } from "../../src/commerce-mcp/commerce-tables.js";
import { readBusinessData, readProfiles, readRefundRules } from "../../src/commerce-mcp/data-files.js";
import { createCommerceDatabase } from "../../src/commerce-mcp/database.js";
import { fromOrderRow } from "../../src/commerce-mcp/order-rows.js";
import { readPolicyBasis } from "../../src/commerce-mcp/policy-basis.js";
import type { Identity } from "../../src/domain/identity.js";
import { CaseId } from "../../src/domain/ids.js";
import { type Proposal, proposeRefund } from "../../src/domain/proposal.js";
import { quoteRefund } from "../../src/domain/refund-policy.js";
import { type CommerceData, temporaryData } from "./commerce-data.js";
import { createGrantKeys, type GrantKeys } from "./commerce-grants.js";

export type Balance = { refunded_cents: number; version: number };

export type Shop = {
  root: string;
  dataDir: string;
  database: string;
  keys: GrantKeys;
  profile: (user: string) => Identity;
  /** What the host would propose for the order as it stands on disk. */
  propose: (orderId: string, nowMs?: number) => Proposal;
  balance: (orderId: string) => Balance;
  receipts: () => { tenant: string; approval_id: string; body: string }[];
  /** Changes the file behind the service's back. */
  tamper: (sql: string) => void;
  remove: () => void;
};

export async function openShop(edit?: (data: CommerceData) => void): Promise<Shop> {
  const { root, dataDir, remove } = temporaryData(edit);
  const database = join(root, "commerce.db");
  await createCommerceDatabase(database, () => readBusinessData(dataDir));
  const read = <Row>(sql: string, ...values: string[]) =>
    onDisk(database, (db) => db.prepare<string[], Row>(sql).all(...values));
  return {
    root,
    dataDir,
    database,
    keys: await createGrantKeys(),
    profile: (user) => found(readProfiles(dataDir).find((profile) => profile.user === user)),
    propose: (orderId, nowMs = Date.now()) => {
      const order = fromOrderRow(found(read<OrderRow>("select * from orders where order_id = ?", orderId)[0]));
      const rules = readRefundRules(dataDir);
      const asOf = found(read<{ value: string }>("select value from meta where name = 'as_of'")[0]).value;
      const quote = quoteRefund(order, rules, readPolicyBasis(dataDir, rules, asOf), asOf);
      const owner = { caseId: CaseId.parse(randomUUID()), round: 1, tenant: order.tenant, applicant: order.user };
      return proposeRefund(quote, owner, nowMs);
    },
    balance: (orderId) =>
      found(read<Balance>("select refunded_cents, version from orders where order_id = ?", orderId)[0]),
    receipts: () => read("select tenant, approval_id, body from receipts order by approval_id"),
    tamper: (sql) => onDisk(database, (db) => db.exec(sql)),
    remove,
  };
}

function onDisk<Result>(path: string, work: (db: Database.Database) => Result): Result {
  const db = new Database(path, { fileMustExist: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("the fixture lacks it");
  return value;
}
