/** A payment that happened is never hidden and never repeated: replay, races and conflicts on one approval id. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { importPublicKey } from "../../src/commerce-mcp/grants.js";
import type { CommerceDependencies } from "../../src/commerce-mcp/server.js";
import { canonicalJson } from "../../src/domain/canonical.js";
import { toolError } from "../../src/domain/errors.js";
import { grantText } from "../../src/domain/grant.js";
import type { Proposal } from "../../src/domain/proposal.js";
import { dataOf, errorOf, textOf } from "../support/commerce-client.js";
import { commerceData, writeCommerceData } from "../support/commerce-data.js";
import { createGrantKeys, grantFor, signGrant } from "../support/commerce-grants.js";
import { type InMemoryCommerce, startInMemory } from "../support/commerce-in-memory.js";
import { openShop, type Shop } from "../support/commerce-shop.js";

const NOW = Date.parse("2026-09-12T08:00:00.000Z");
const PAID_ONCE = { refunded_cents: 12_900, version: 2 };

let shop: Shop;
let proposal: Proposal;
let args: { approval_id: string; grant: string };
let open: InMemoryCommerce[];

beforeEach(async () => {
  shop = await openShop();
  proposal = shop.propose("QH-1001", NOW);
  args = { approval_id: proposal.approvalId, grant: await signGrant(shop.keys, proposal) };
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map((connection) => connection.close()));
  shop.remove();
});

async function start(changes: Partial<CommerceDependencies> = {}, profile = "alice"): Promise<InMemoryCommerce> {
  const connection = await startInMemory(shop, profile, { clock: { nowMs: () => NOW }, ...changes });
  open.push(connection);
  return connection;
}

async function pay(): Promise<string> {
  return textOf(await (await start()).call("execute_refund", args));
}

describe("a repetition", () => {
  it("of eight parallel calls gives one receipt and one payment", async () => {
    const connection = await start();
    const answers = await Promise.all(Array.from({ length: 8 }, () => connection.call("execute_refund", args)));
    expect(new Set(answers.map(textOf)).size).toBe(1);
    expect(answers.every(({ isError }) => isError !== true)).toBe(true);
    expect(shop.balance("QH-1001")).toEqual(PAID_ONCE);
    expect(shop.receipts()).toHaveLength(1);
  });

  it("of two approvals racing for one order pays one of them", async () => {
    const other = shop.propose("QH-1001", NOW);
    const calls = [args, { approval_id: other.approvalId, grant: await signGrant(shop.keys, other) }];
    const [one, two] = [await start(), await start()];
    const answers = await Promise.all(
      calls.map((call, index) => (index === 0 ? one : two).call("execute_refund", call)),
    );
    const refused = answers.filter(({ isError }) => isError === true);
    expect(refused.map(errorOf)).toEqual([toolError("quote_changed")]);
    expect(shop.balance("QH-1001")).toEqual(PAID_ONCE);
    expect(shop.receipts()).toHaveLength(1);
  });

  it("after the reviewer was revoked gives the same receipt", async () => {
    const first = await pay();
    const data = commerceData();
    data.profiles.profiles = data.profiles.profiles.filter(({ user }) => user !== "chen");
    writeCommerceData(shop.dataDir, data);
    expect(await pay()).toBe(first);
    expect(shop.balance("QH-1001")).toEqual(PAID_ONCE);
  });

  it("while profiles.json cannot be read gives the same receipt", async () => {
    const first = await pay();
    const unreadable = await start({
      readProfiles: () => {
        throw new Error("unreadable");
      },
    });
    expect(textOf(await unreadable.call("execute_refund", args))).toBe(first);
  });

  it("long after the proposal expired gives the same receipt", async () => {
    const first = await pay();
    const later = await start({ clock: { nowMs: () => NOW + 365 * 86_400_000 } });
    expect(textOf(await later.call("execute_refund", args))).toBe(first);
    expect(shop.balance("QH-1001")).toEqual(PAID_ONCE);
  });

  it("after the keys were rotated gives the same receipt", async () => {
    const first = await pay();
    const rotated = await start({ publicKey: await importPublicKey((await createGrantKeys()).publicKeyText) });
    expect(textOf(await rotated.call("execute_refund", args))).toBe(first);
    expect(shop.balance("QH-1001")).toEqual(PAID_ONCE);
  });

  it("after rules and policy text changed gives the same receipt", async () => {
    const first = await pay();
    const data = commerceData();
    data.rules.return_days = 1;
    writeCommerceData(shop.dataDir, data);
    expect(await pay()).toBe(first);
  });
});

describe("a settled approval id", () => {
  it("refuses a grant for another proposal, however well signed", async () => {
    const first = await pay();
    const changes = [{ orderId: shop.propose("QH-1002").orderId }, { expiresAt: "2026-09-12T09:00:00.000Z" }];
    const connection = await start();
    for (const change of changes) {
      const grant = await signGrant(shop.keys, { ...proposal, ...change });
      const refused = await connection.call("execute_refund", { ...args, grant });
      expect(errorOf(refused)).toEqual(toolError("idempotency_conflict"));
    }
    expect(shop.balance("QH-1001")).toEqual(PAID_ONCE);
    expect(textOf(await connection.call("execute_refund", args))).toBe(first);
  });

  it.each(["x", "a.b.c", "..", `${"A".repeat(20)}.${"A".repeat(20)}.`])(
    "refuses the undecodable grant %j",
    async (grant) => {
      await pay();
      const refused = await (await start()).call("execute_refund", { ...args, grant });
      expect(errorOf(refused)).toEqual(toolError("idempotency_conflict"));
      expect(shop.balance("QH-1001")).toEqual(PAID_ONCE);
    },
  );

  it("refuses a payload that is no approval", async () => {
    await pay();
    const rejection = await shop.keys.sign(canonicalJson({ ...grantFor(proposal), decision: "reject" }));
    const refused = await (await start()).call("execute_refund", { ...args, grant: rejection });
    expect(errorOf(refused)).toEqual(toolError("idempotency_conflict"));
  });

  it("answers the same proposal approved by another reviewer with the first receipt", async () => {
    const first = await pay();
    const byDana = await shop.keys.sign(grantText({ ...grantFor(proposal), reviewer: shop.profile("dana").user }));
    expect(textOf(await (await start()).call("execute_refund", { ...args, grant: byDana }))).toBe(first);
    expect(shop.balance("QH-1001")).toEqual(PAID_ONCE);
  });

  it("is unknown to another merchant's process", async () => {
    await pay();
    const lin = await start({}, "lin");
    expect(errorOf(await lin.call("execute_refund", args))).toEqual(toolError("order_not_accessible"));
  });
});

describe("a failed payment", () => {
  it("leaves neither a receipt nor a balance when the second statement fails", async () => {
    shop.tamper(
      "create trigger broken before update on orders begin select raise(abort, 'disk on fire at /secret/path'); end",
    );
    const connection = await start();
    const refused = await connection.call("execute_refund", args);
    expect(errorOf(refused)).toEqual(toolError("service_failed"));
    expect(JSON.stringify(refused)).not.toContain("secret");
    expect(shop.receipts()).toEqual([]);
    shop.tamper("drop trigger broken");
    expect(dataOf(await connection.call("execute_refund", args))).toMatchObject({ amount_cents: 12_900 });
    expect(shop.balance("QH-1001")).toEqual(PAID_ONCE);
  });

  it("leaves no receipt when the order's row moved on between read and write", async () => {
    shop.tamper(
      "create trigger moved before insert on receipts begin update orders set version = version + 1 where order_id = 'QH-1001'; end",
    );
    expect(errorOf(await (await start()).call("execute_refund", args))).toEqual(toolError("quote_changed"));
    expect(shop.receipts()).toEqual([]);
    expect(shop.balance("QH-1001")).toEqual({ refunded_cents: 0, version: 1 });
  });
});
