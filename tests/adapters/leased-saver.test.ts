import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { type Checkpoint, type CheckpointMetadata, emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { LeasedSaver } from "../../src/adapters/leased-saver.js";
import { openFile } from "../../src/sqlite/open.js";
import { createLedger, type Ledger } from "../support/ledger.js";

const THREAD = "thread-1";
const LOST = { code: "lease_lost" };
const metadata: CheckpointMetadata = { source: "loop", step: 1, parents: {} };
const thread: RunnableConfig = { configurable: { thread_id: THREAD, checkpoint_ns: "" } };
let made = 0;
const checkpointOf = (values: Record<string, unknown> = {}): Checkpoint => ({
  ...emptyCheckpoint(),
  id: uuid6(made++),
  channel_values: values,
});

/** A saver on the ledger's file, as one process would open it. */
async function saverOf(ledger: Ledger): Promise<LeasedSaver> {
  return (await ledger.open()).checkpoints();
}

const rowsOf = (ledger: Ledger): unknown[] =>
  ledger.query("checkpoints", "select count(*) n from checkpoints union all select count(*) from writes");

/** An old holder, with one checkpoint and one write, and a newer one that has taken over. */
async function takenOver() {
  const ledger = await createLedger();
  const old = await saverOf(ledger);
  await old.raise(THREAD, 1);
  const saved = await old.put(thread, checkpointOf({ a: 1 }), metadata);
  await old.putWrites(saved, [["a", 1]], "task-1");
  const next = await saverOf(ledger);
  await next.raise(THREAD, 2);
  return { ledger, old, next, saved, before: rowsOf(ledger) };
}

test("the holder of the newest epoch writes, and anybody reads", async () => {
  const { ledger, old, next, saved } = await takenOver();
  const second = await next.put(saved, checkpointOf({ a: 2 }), metadata);
  await next.putWrites(second, [["a", 2]], "task-2");
  expect(rowsOf(ledger)).toEqual([{ n: 2 }, { n: 2 }]);
  expect((await old.getTuple(thread))?.checkpoint.channel_values).toEqual({ a: 2 });
});

test.each([
  ["put", (saver: LeasedSaver, saved: RunnableConfig): Promise<unknown> => saver.put(saved, checkpointOf(), metadata)],
  ["putWrites", (saver: LeasedSaver, saved: RunnableConfig) => saver.putWrites(saved, [["b", 1]], "task-9")],
  ["deleteThread", (saver: LeasedSaver) => saver.deleteThread(THREAD)],
  ["prune", (saver: LeasedSaver, saved: RunnableConfig) => saver.prune(String(saved.configurable?.thread_id))],
])("a stale epoch is refused for %s, and nothing changes", async (_name, write) => {
  const { ledger, old, next, saved } = await takenOver();
  await next.put(saved, checkpointOf({ a: 3 }), metadata);
  const before = rowsOf(ledger);
  await expect(write(old, saved)).rejects.toMatchObject(LOST);
  expect(rowsOf(ledger)).toEqual(before);
});

test.each([
  ["insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id) values ('thread-1', '', 'x')"],
  [
    "insert or replace into checkpoints (thread_id, checkpoint_ns, checkpoint_id) select thread_id, checkpoint_ns, checkpoint_id from checkpoints",
  ],
  ["update checkpoints set metadata = 'x'"],
  ["delete from checkpoints"],
  [
    "insert into writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel) values ('thread-1', '', 'x', 't', 0, 'c')",
  ],
  ["update writes set value = 'x'"],
  ["delete from writes"],
])("the statement itself is refused on an old holder's connection: %s", async (sql) => {
  const { ledger, old, before } = await takenOver();
  expect(() => old.db.exec(sql)).toThrow("lease_lost");
  expect(rowsOf(ledger)).toEqual(before);
});

test.each(["update writes set value = 'x'", "delete from checkpoints", "insert into writes select * from writes"])(
  "a connection that knows no lease cannot write at all: %s",
  async (sql) => {
    const { ledger, before } = await takenOver();
    const plain = new Database(ledger.paths.checkpointsDb);
    expect(() => plain.exec(sql)).toThrow("held_epoch");
    const stock = new SqliteSaver(plain);
    await expect(stock.put(thread, checkpointOf(), metadata)).rejects.toThrow("held_epoch");
    plain.close();
    expect(rowsOf(ledger)).toEqual(before);
  },
);

test("an epoch only goes up: a late claim is refused, and the fence cannot be lowered or removed", async () => {
  const { old, next } = await takenOver();
  await expect(old.raise(THREAD, 1)).rejects.toMatchObject(LOST);
  await expect(old.raise(THREAD, 2)).rejects.toMatchObject(LOST);
  expect(() => next.db.exec("update fence set epoch = 1")).toThrow("lease_lost");
  expect(() => next.db.exec("delete from fence")).toThrow("fence_is_kept");
});

test("after letting go, the same connection cannot write either", async () => {
  const { next, saved } = await takenOver();
  next.drop(THREAD);
  await expect(next.put(saved, checkpointOf(), metadata)).rejects.toMatchObject(LOST);
});

test("one lost lease fails alone: writes of other threads in the same turn are kept", async () => {
  const { ledger, old, saved } = await takenOver();
  await old.raise("thread-2", 1);
  const other = { configurable: { thread_id: "thread-2", checkpoint_ns: "" } };
  const results = await Promise.allSettled([
    old.put(other, checkpointOf({ b: 1 }), metadata),
    old.put(saved, checkpointOf({ a: 9 }), metadata),
    old.put(other, checkpointOf({ b: 2 }), metadata),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(ledger.query("checkpoints", "select count(*) n from checkpoints where thread_id = 'thread-2'")).toEqual([
    { n: 2 },
  ]);
});

test.each([
  ["a BigInt", 12_900n],
  ["a nested BigInt", { evidence: [{ cents: 1n }] }],
  ["NaN", Number.NaN],
  ["undefined inside", { a: undefined }],
  ["a Date", new Date(0)],
  ["a function", () => 1],
  [
    "something whose toJSON throws",
    {
      toJSON: () => {
        throw new Error("x");
      },
    },
  ],
])("a channel with %s is refused, and the thread stays readable", async (_what, value) => {
  const ledger = await createLedger();
  const saver = await saverOf(ledger);
  await saver.raise(THREAD, 1);
  const saved = await saver.put(thread, checkpointOf({ a: 1 }), metadata);
  await expect(saver.put(saved, checkpointOf({ a: 1, b: value }), metadata)).rejects.toThrow(TypeError);
  await expect(saver.putWrites(saved, [["b", value]], "task-1")).rejects.toThrow(TypeError);
  expect((await saver.getTuple(thread))?.checkpoint.channel_values).toEqual({ a: 1 });
});

test("a graph whose node returns a BigInt fails, and the thread is still where it was", async () => {
  const ledger = await createLedger();
  const saver = await saverOf(ledger);
  await saver.raise(THREAD, 1);
  const graph = new StateGraph(Annotation.Root({ value: Annotation<unknown> }))
    .addNode("spoil", () => ({ value: 1n }))
    .addEdge(START, "spoil")
    .addEdge("spoil", END)
    .compile({ checkpointer: saver });
  const config = { configurable: { thread_id: THREAD }, durability: "sync" as const };
  await expect(graph.invoke({ value: 1 }, config)).rejects.toThrow();
  for (let time = 0; time < 2; time += 1) {
    const state = await graph.getState(config);
    expect(state.values).toEqual({ value: 1 });
    expect(state.next).toEqual(["spoil"]);
    await expect(graph.invoke(null, config)).rejects.toThrow();
  }
});

test("timers run while a graph of a hundred steps without any waiting is saved step by step", async () => {
  const ledger = await createLedger();
  const saver = await saverOf(ledger);
  await saver.raise(THREAD, 1);
  const graph = new StateGraph(Annotation.Root({ count: Annotation<number> }))
    .addNode("step", ({ count }) => ({ count: count + 1 }))
    .addEdge(START, "step")
    .addConditionalEdges("step", ({ count }) => (count < 100 ? "step" : END), ["step", END])
    .compile({ checkpointer: saver });
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 1);
  await graph.invoke({ count: 0 }, { configurable: { thread_id: THREAD }, durability: "sync", recursionLimit: 200 });
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(10);
});

test("pruning keeps the newest root checkpoint with its writes, and the thread goes on from there", async () => {
  const ledger = await createLedger();
  const saver = await saverOf(ledger);
  await saver.raise(THREAD, 1);
  let saved = await saver.put(thread, checkpointOf({ a: 1 }), metadata);
  await saver.putWrites(saved, [["a", 1]], "task-1");
  const child = { configurable: { thread_id: THREAD, checkpoint_ns: "investigate:1" } };
  await saver.putWrites(await saver.put(child, checkpointOf({ c: 1 }), metadata), [["c", 1]], "task-c");
  saved = await saver.put(saved, checkpointOf({ a: 2 }), metadata);
  await saver.putWrites(saved, [["a", 3]], "task-2");
  await saver.prune(THREAD);
  expect(rowsOf(ledger)).toEqual([{ n: 1 }, { n: 1 }]);
  const tuple = await saver.getTuple(thread);
  expect(tuple?.checkpoint.channel_values).toEqual({ a: 2 });
  expect(tuple?.pendingWrites).toEqual([["task-2", "a", 3]]);
});

test("what is put after the file was closed is refused, and nobody waits for it for ever", async () => {
  const saver = await saverOf(await createLedger());
  await saver.raise(THREAD, 1);
  saver.db.close();
  await expect(saver.put(thread, checkpointOf({ a: 1 }), metadata)).rejects.toThrow("not open");
});

test("a write without a thread or a checkpoint is refused", async () => {
  const saver = new LeasedSaver(openFile(":memory:", { create: false }));
  await expect(saver.put({ configurable: {} }, checkpointOf(), metadata)).rejects.toMatchObject({
    code: "internal_error",
  });
  await expect(saver.putWrites(thread, [["a", 1]], "t")).rejects.toMatchObject({ code: "internal_error" });
  saver.db.close();
});

test("every commit reaches the disk before it counts", async () => {
  const saver = await saverOf(await createLedger());
  expect(saver.db.pragma("synchronous", { simple: true })).toBe(2);
  expect(saver.db.pragma("journal_mode", { simple: true })).toBe("wal");
});

test("the step written last is the newest, also when the clock was set back before it", async () => {
  const ledger = await createLedger();
  const saver = await saverOf(ledger);
  await saver.raise(THREAD, 1);
  const [early, middle, late] = [checkpointOf({ a: 1 }), checkpointOf({ a: 2 }), checkpointOf({ a: 3 })];
  let config = thread;
  for (const checkpoint of [middle, late, early]) config = await saver.put(config, checkpoint, metadata);
  await saver.putWrites(config, [["a", 4]], "task-1");

  expect((await saver.getTuple(thread))?.checkpoint.id).toBe(early.id);
  const listed = async (options = {}): Promise<string[]> => {
    const ids: string[] = [];
    for await (const tuple of saver.list(thread, options)) ids.push(tuple.checkpoint.id);
    return ids;
  };
  expect(await listed()).toEqual([early.id, late.id, middle.id]);
  expect(await listed({ limit: 2 })).toEqual([early.id, late.id]);
  expect(await listed({ before: { configurable: { checkpoint_id: early.id } }, limit: 1 })).toEqual([late.id]);

  await saver.prune(THREAD);
  expect(await listed()).toEqual([early.id]);
  expect(ledger.query("checkpoints", "select channel from writes")).toEqual([{ channel: "a" }]);
});
