/** What a full disk does to writes that share a transaction. SQLite then undoes the whole transaction by itself, savepoints included. */
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { createGroupedWrites } from "../../src/adapters/grouped-writes.js";
import { createLedger } from "../support/ledger.js";

const FULL = { code: "SQLITE_FULL" };
const LONG = "x".repeat(20_000);
const metadata = { source: "loop" as const, step: 1, parents: {} };

const causesOf = async (works: Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.allSettled(works)).map((each) => (each.status === "rejected" ? each.reason : each.value));

test("writes that shared a transaction of application.db are all told that the disk is full, and are saved once there is room", async () => {
  const ledger = await createLedger();
  const { db } = await ledger.open();
  const inTransaction = createGroupedWrites(db);
  const prefer = (user: string) =>
    inTransaction((trx) =>
      trx
        .insertInto("preferences")
        .values({ tenant: "t", user_name: user, language: LONG, consented_at: "" })
        .execute(),
    );
  const both = () => causesOf([prefer("one"), prefer("two")]);
  const saved = () => ledger.query("application", "select count(*) n from preferences");
  await sql`pragma max_page_count = 1`.execute(db);
  expect(await both()).toEqual([expect.objectContaining(FULL), expect.objectContaining(FULL)]);
  expect(saved()).toEqual([{ n: 0 }]);
  await sql`pragma max_page_count = 1000000`.execute(db);
  await both();
  expect(saved()).toEqual([{ n: 2 }]);
});

test("steps whose shared transaction SQLite undoes by itself are all told so, and are saved when it goes well again", async () => {
  const ledger = await createLedger();
  const saver = await (await ledger.open()).checkpoints();
  const threads = ["thread-1", "thread-2"];
  for (const thread of threads) await saver.raise(thread, 1);
  const put = () =>
    causesOf(threads.map((thread_id) => saver.put({ configurable: { thread_id } }, emptyCheckpoint(), metadata)));
  saver.db.exec(`create trigger undoing before insert on checkpoints when NEW.thread_id = 'thread-1'
    begin select raise(rollback, 'undone'); end`);
  expect(await put()).toEqual(threads.map(() => expect.objectContaining({ message: "undone" })));
  expect(ledger.query("checkpoints", "select * from checkpoints")).toEqual([]);
  saver.db.exec("drop trigger undoing");
  expect(await put()).toEqual([expect.anything(), expect.anything()]);
  expect(ledger.query("checkpoints", "select count(*) n from checkpoints")).toEqual([{ n: 2 }]);
});
