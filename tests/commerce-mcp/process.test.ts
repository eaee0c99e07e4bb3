/** The process itself: its start, its streams, its end, and what a kill leaves behind. */
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it, onTestFailed, vi } from "vitest";
import { dataOf, textOf } from "../support/commerce-client.js";
import { signGrant } from "../support/commerce-grants.js";
import {
  type CommerceProcess,
  commerceArguments,
  isAlive,
  runCommerce,
  spawnCommerce,
  startCommerce,
} from "../support/commerce-process.js";
import { openShop, type Shop } from "../support/commerce-shop.js";

let shop: Shop;
let started: CommerceProcess[];

beforeEach(async () => {
  shop = await openShop();
  started = [];
});
afterEach(async () => {
  await Promise.all(started.map((connection) => connection.close()));
  await Promise.all(started.map(({ gone }) => gone));
  expect(started.map(({ pid }) => pid).filter(isAlive)).toEqual([]);
  shop.remove();
});

const options = (profile = "alice") => ({
  database: shop.database,
  data: shop.dataDir,
  publicKey: shop.keys.publicKeyText,
  profile,
});
const start = async (nodeArguments: string[] = []) => {
  const connection = await startCommerce({ ...options(), nodeArguments });
  started.push(connection);
  return connection;
};
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};
const callFrame = (id: number, name: string, args: Record<string, unknown>) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});
const lines = (...frames: unknown[]) => frames.map((frame) => `${JSON.stringify(frame)}\n`).join("");

describe("starting", () => {
  const ONE_LINE = /^aftersales-commerce: [^\n]+ \([a-z_]+\)\n$/;

  it.each<[string, (shop: Shop) => Partial<ReturnType<typeof options>>, string]>([
    ["a missing database", ({ root }) => ({ database: join(root, "none.db") }), "(state_missing)"],
    ["an unknown profile", () => ({ profile: "eve" }), "eve is not in profiles.json. Choose one of: alice, bob"],
    ["a key that is none", () => ({ publicKey: "AAAA" }), "--public-key must be"],
    ["a missing data folder", ({ root }) => ({ data: join(root, "none") }), "profiles.json: cannot be read in"],
    ["a folder as database", ({ root }) => ({ database: root }), "(database_failed)"],
  ])("with %s says so in one line and exits with 1", async (_what, change, expected) => {
    const run = await runCommerce(commerceArguments({ ...options(), ...change(shop) }));
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(ONE_LINE);
    expect(run.stderr).toContain(expected);
  });

  it("with a private key refuses it without repeating it", async () => {
    const secret = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I";
    const publicKey = Buffer.from(JSON.stringify({ ...shop.keys.publicJwk, d: secret })).toString("base64url");
    const run = await runCommerce(commerceArguments({ ...options(), publicKey }));
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(ONE_LINE);
    expect(run.stderr).not.toContain(secret);
    expect(run.stderr).not.toContain(publicKey);
  });

  it("with a file that is no database leaves the file as it is", async () => {
    writeFileSync(shop.database, "these are notes, not a database; please keep them ".repeat(40));
    const before = readFileSync(shop.database);
    const run = await runCommerce(commerceArguments(options()));
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(ONE_LINE);
    expect(run.stderr).toContain("SQLITE_NOTADB");
    expect(readFileSync(shop.database).equals(before)).toBe(true);
  });

  it.each([[[]], [["--database", "x"]], [["--state-dir", "x"]], [["serve"]], [["--create", "--database"]]])(
    "with the arguments %j explains what is missing",
    async (args) => {
      const run = await runCommerce(args);
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toMatch(ONE_LINE);
      expect(run.stderr).toContain("(usage)");
    },
  );

  it("with --create makes a private, seeded database once and serves nothing", async () => {
    const database = join(shop.root, "new.db");
    const args = ["--create", "--database", database, "--data", shop.dataDir];
    expect(await runCommerce(args)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(statSync(database).mode & 0o777).toBe(0o600);
    const before = readFileSync(database);
    expect(await runCommerce(args)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readFileSync(database).equals(before)).toBe(true);
    expect((await runCommerce(commerceArguments({ ...options(), database }))).code).toBe(0);
  });

  it("with --create and wrong data makes no file", async () => {
    writeFileSync(join(shop.dataDir, "refund_rules.json"), "{}");
    const database = join(shop.root, "new.db");
    const run = await runCommerce(["--create", "--database", database, "--data", shop.dataDir]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("refund_rules.json: ");
    expect(existsSync(database)).toBe(false);
  });

  it("with --create in a folder that is missing says that the database is the trouble", async () => {
    const database = join(shop.root, "none", "new.db");
    const run = await runCommerce(["--create", "--database", database, "--data", shop.dataDir]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(ONE_LINE);
    expect(run.stderr).toContain("ENOENT");
    expect(run.stderr).toContain("(database_failed)");
  });

  it("on a database of a later program says so", async () => {
    shop.tamper("insert into kysely_migration values ('9999_later', '2027-01-01')");
    const run = await runCommerce(commerceArguments(options()));
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(ONE_LINE);
    expect(run.stderr).toContain("written by a newer version of this program");
  });

  it("asks nothing of the environment and says nothing when all is well", async () => {
    expect(await runCommerce(commerceArguments(options()))).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});

describe("ending", () => {
  /** Something that would keep any process alive for an hour: an end must not depend on there being nothing left to do. */
  const ALIVE = "data:text/javascript,setInterval(()=>{},3600000)";
  const serving = async () => {
    const child = await spawnCommerce(commerceArguments(options()), ["--import", ALIVE]);
    // Only a product that fails this test is still there to be killed.
    onTestFailed(() => {
      child.kill("SIGKILL");
    });
    child.stderr.resume();
    child.stdin.write(lines(INITIALIZE));
    await once(child.stdout, "data");
    return child;
  };

  it("exits when its stdin ends", async () => {
    const child = await serving();
    child.stdin.end();
    expect(await once(child, "close")).toEqual([0, null]);
  });

  it.each(["SIGTERM", "SIGINT"] as const)("exits on %s and leaves no write-ahead log behind", async (signal) => {
    const child = await serving();
    child.kill(signal);
    expect(await once(child, "close")).toEqual([0, null]);
    expect(existsSync(`${shop.database}-wal`)).toBe(false);
  });

  it("exits when nobody reads its stdout any more", async () => {
    const child = await serving();
    child.stdout.destroy();
    child.stdin.write(lines(callFrame(1, "list_orders", {})));
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("exits instead of falling silent when a message is larger than any request may be", async () => {
    const child = await serving();
    child.stdin.on("error", () => {});
    child.stdin.write("x".repeat(3 << 20));
    expect(await once(child, "close")).toEqual([0, null]);
  });
});

describe("stdout", () => {
  /** Prints a forged reply, plain text and a line without an end at every message that arrives, before the service sees it. */
  const NOISE = `data:text/javascript,${encodeURIComponent(`
    const on = process.stdin.on;
    process.stdin.on = function (event, listener) {
      if (event !== "data") return on.call(this, event, listener);
      return on.call(this, event, (chunk) => {
        for (let id = 0; id < 9; id++) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { forged: true } }));
        console.info("noise"); console.warn("noise"); process.stdout.write("no newline");
        listener(chunk);
      });
    };
  `)}`;

  it("holds nothing but JSON-RPC frames, also when something prints", async () => {
    const child = await spawnCommerce(commerceArguments(options()), ["--import", NOISE]);
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString("utf8");
      if (stdout.includes('"id":2')) child.stdin.end();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString("utf8");
    });
    child.stdin.write(lines(INITIALIZE, { jsonrpc: "2.0", method: "notifications/initialized" }));
    child.stdin.write(lines(callFrame(1, "get_order", { order_id: "QH-1001" })));
    child.stdin.write(lines(callFrame(2, "no_such_tool", {})));
    await once(child, "close");
    const frames: unknown[] = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(frames).toHaveLength(3);
    for (const frame of frames) expect(frame).toMatchObject({ jsonrpc: "2.0" });
    expect(stdout).not.toContain("forged");
    expect(stderr).toContain("forged");
    expect(stderr).toContain("no newline");
  });

  it("still carries the real answers to a client", async () => {
    const noisy = await start(["--import", NOISE]);
    expect(dataOf(await noisy.call("get_order", { order_id: "QH-1001" }))).toMatchObject({ order_id: "QH-1001" });
    await vi.waitFor(() => expect(noisy.stderrTail()).toContain("noise"));
  });
});

describe("a kill", () => {
  it("after the commit leaves a receipt that a new process answers unchanged", async () => {
    const proposal = shop.propose("QH-1001");
    const args = { approval_id: proposal.approvalId, grant: await signGrant(shop.keys, proposal) };
    const first = await start();
    const lost = first.call("execute_refund", args).then(textOf, () => "lost");
    await vi.waitFor(() => expect(shop.receipts()).toHaveLength(1), { interval: 1 });
    process.kill(first.pid, "SIGKILL");
    await Promise.all([first.gone, lost]);

    const retried = await (await start()).call("execute_refund", args);
    expect(JSON.parse(textOf(retried))).toEqual(JSON.parse(shop.receipts()[0]?.body ?? ""));
    expect(textOf(await (await start()).call("execute_refund", args))).toBe(textOf(retried));
    expect(shop.receipts()).toHaveLength(1);
    expect(shop.balance("QH-1001")).toEqual({ refunded_cents: 12_900, version: 2 });
  });

  it("before the commit leaves nothing, and the retry pays once", async () => {
    const proposal = shop.propose("QH-1001");
    const args = { approval_id: proposal.approvalId, grant: await signGrant(shop.keys, proposal) };
    const first = await start();
    const holder = new Database(shop.database);
    holder.exec("begin immediate");
    const lost = first.call("execute_refund", args).then(textOf, () => "lost");
    await first.client.ping();
    process.kill(first.pid, "SIGKILL");
    expect(await lost).toBe("lost");
    await first.gone;
    holder.exec("rollback");
    holder.close();
    expect(shop.receipts()).toEqual([]);
    expect(shop.balance("QH-1001")).toEqual({ refunded_cents: 0, version: 1 });

    const retried = dataOf(await (await start()).call("execute_refund", args));
    expect(retried).toMatchObject({ amount_cents: 12_900 });
    expect(shop.balance("QH-1001")).toEqual({ refunded_cents: 12_900, version: 2 });
  });

  it("never matters to the sum: eight calls to four processes pay one approval once", async () => {
    const proposal = shop.propose("QH-1001");
    const args = { approval_id: proposal.approvalId, grant: await signGrant(shop.keys, proposal) };
    const services = await Promise.all(Array.from({ length: 4 }, () => start()));
    const answers = await Promise.all(
      [...services, ...services].map((service) => service.call("execute_refund", args)),
    );
    expect(new Set(answers.map(textOf)).size).toBe(1);
    expect(answers[0]?.isError).not.toBe(true);
    expect(shop.receipts()).toHaveLength(1);
    expect(shop.balance("QH-1001")).toEqual({ refunded_cents: 12_900, version: 2 });
  });
});
