/** Owns checkpoints.db: LangGraph's SQLite saver, fenced by the case's epoch and committing once per turn of the event loop. */
import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  copyCheckpoint,
  type PendingWrite,
  RESUME,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import type Database from "better-sqlite3";
import { assertPlainJson } from "../domain/canonical.js";
import { AftersalesError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import { isBusy, whileBusy } from "../sqlite/dialect.js";
import { keepStatements } from "../sqlite/kept-statements.js";
import { NewerDatabase, realPatience } from "../sqlite/open.js";
import { NEWEST_FIRST, WrittenOrderSaver } from "./written-order-saver.js";

type Job = { run: () => void; done: () => void; fail: (error: unknown) => void; error?: unknown };

/** Of checkpoints.db. The tables are the library's, the fence is ours; files from before the number was kept count as 0 and are alike. */
const SCHEMA_VERSION = 1;

/** Under this task LangGraph saves what a command brought. */
const COMMAND_TASK = "00000000-0000-0000-0000-000000000000";

const GUARDED = [
  ["checkpoints", "insert", "NEW"],
  ["checkpoints", "update", "NEW"],
  ["checkpoints", "delete", "OLD"],
  ["writes", "insert", "NEW"],
  ["writes", "update", "NEW"],
  ["writes", "delete", "OLD"],
] as const;

/**
 * Every insert, update and delete is refused inside its own statement unless this connection holds the thread's current epoch,
 * so that a process that slept past its lease can change nothing. A connection without the `held_epoch` function cannot write at all.
 * Rows of one event-loop turn share one immediate transaction; a put resolves after its commit, which also lets timers run:
 * with a model that answers at once the stock saver would starve the lease renewal.
 */
export class LeasedSaver extends WrittenOrderSaver {
  readonly #epochs = new Map<string, number>();
  readonly #statement = keepStatements((sql) => this.db.prepare(sql));
  #jobs: Job[] = [];

  constructor(database: Database.Database) {
    super(database);
    if (Number(database.pragma("user_version", { simple: true })) > SCHEMA_VERSION) {
      throw new NewerDatabase(basename(database.name));
    }
    this.setup();
    database.pragma("synchronous = FULL");
    database.function("held_epoch", (thread: unknown) => this.#epochs.get(String(thread)) ?? -1);
    database.exec(
      "create table if not exists fence (thread_id text primary key, epoch integer not null) without rowid",
    );
    for (const [table, operation, row] of GUARDED) {
      database.exec(`create trigger if not exists fence_${table}_${operation} before ${operation} on ${table}
        when not exists (select 1 from fence where thread_id = ${row}.thread_id and epoch = held_epoch(${row}.thread_id))
        begin select raise(abort, 'lease_lost'); end`);
    }
    database.exec(`create trigger if not exists fence_only_up before update on fence when NEW.epoch <= OLD.epoch
      begin select raise(abort, 'lease_lost'); end`);
    database.exec(`create trigger if not exists fence_is_kept before delete on fence
      begin select raise(abort, 'fence_is_kept'); end`);
    // Only when it differs: opening a file must not wait for somebody else's work.
    if (database.pragma("user_version", { simple: true }) !== SCHEMA_VERSION) {
      database.pragma(`user_version = ${SCHEMA_VERSION}`);
    }
  }

  /** From here on no older holder can write this thread. Throws `lease_lost` when a newer one is already known. */
  async raise(threadId: string, epoch: number): Promise<void> {
    const { changes } = await whileBusy(
      async () =>
        this.#statement(
          "insert into fence values (?, ?) on conflict (thread_id) do update set epoch = excluded.epoch where excluded.epoch > fence.epoch",
        ).run(threadId, epoch),
      realPatience(),
    );
    if (changes !== 1) throw new AftersalesError("lease_lost");
    this.#epochs.set(threadId, epoch);
  }

  drop(threadId: string): void {
    this.#epochs.delete(threadId);
  }

  /** Keeps only the newest root checkpoint and its writes. Works while a thread waits and after its end. */
  async prune(threadId: string): Promise<void> {
    await this.#enqueue(() => {
      this.#statement(
        `delete from checkpoints where thread_id = ? and (checkpoint_ns <> '' or checkpoint_id <>
            (select checkpoint_id from checkpoints where thread_id = ? and checkpoint_ns = '' ${NEWEST_FIRST} limit 1))`,
      ).run(threadId, threadId);
      this.#statement(
        `delete from writes where thread_id = ? and not exists (select 1 from checkpoints c where c.thread_id = writes.thread_id
            and c.checkpoint_ns = writes.checkpoint_ns and c.checkpoint_id = writes.checkpoint_id)`,
      ).run(threadId);
    });
  }

  /**
   * An answer or a jump counts only in the run that brought it. LangGraph hands a saved answer to whoever continues after a crash, and
   * prefers it to the one that person gives: somebody could sign as the reviewer, stop, and let the reviewer's next run decide. A saved
   * jump runs beside the waiting step for ever, and two steps that write one channel make the thread unreadable.
   */
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const tuple = await super.getTuple(config);
    if (tuple?.pendingWrites === undefined) return tuple;
    const lasting = ([task, channel]: [string, string, unknown]): boolean =>
      task !== COMMAND_TASK && channel !== RESUME;
    return { ...tuple, pendingWrites: tuple.pendingWrites.filter(lasting) };
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    const { thread_id, checkpoint_ns = "", checkpoint_id } = config.configurable ?? {};
    if (typeof thread_id !== "string") throw new AftersalesError("internal_error");
    // The serialiser replaces a whole checkpoint by an error text when one value does not fit, and reports success.
    assertPlainJson(checkpoint.channel_values);
    const [[type, value], [, meta]] = await Promise.all([
      this.serde.dumpsTyped(copyCheckpoint(checkpoint)),
      this.serde.dumpsTyped(metadata),
    ]);
    await this.#enqueue(() => {
      this.#statement(
        `insert or replace into checkpoints
            (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata) values (?, ?, ?, ?, ?, ?, ?)`,
      ).run(thread_id, checkpoint_ns, checkpoint.id, checkpoint_id, type, value, meta);
    });
    return { configurable: { thread_id, checkpoint_ns, checkpoint_id: checkpoint.id } };
  }

  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const { thread_id, checkpoint_ns = "", checkpoint_id } = config.configurable ?? {};
    // Rows without a checkpoint would belong to none and come back with none.
    if (typeof thread_id !== "string" || typeof checkpoint_id !== "string") throw new AftersalesError("internal_error");
    if (writes.length === 0) return;
    // A result that does not survive the serialiser would come back as an error text that counts as the step's result.
    for (const [channel, content] of writes) if (!channel.startsWith("__")) assertPlainJson(content, channel);
    const verb = writes.every(([channel]) => channel in WRITES_IDX_MAP) ? "replace" : "ignore";
    const rows = await Promise.all(
      writes.map(async ([channel, content], index) => {
        const [type, value] = await this.serde.dumpsTyped(content);
        return [
          thread_id,
          checkpoint_ns,
          checkpoint_id,
          taskId,
          WRITES_IDX_MAP[channel] ?? index,
          channel,
          type,
          value,
        ];
      }),
    );
    await this.#enqueue(() => {
      const insert = this.#statement(
        `insert or ${verb} into writes
          (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value) values (?, ?, ?, ?, ?, ?, ?, ?)`,
      );
      for (const row of rows) insert.run(...row);
    });
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#enqueue(() => {
      this.#statement("delete from checkpoints where thread_id = ?").run(threadId);
      this.#statement("delete from writes where thread_id = ?").run(threadId);
    });
  }

  #enqueue(run: () => void): Promise<void> {
    return new Promise((done, fail) => {
      this.#jobs.push({ run, done, fail });
      if (this.#jobs.length === 1) setImmediate(() => void this.#flush());
    });
  }

  /** One transaction for all, a savepoint for each: a holder whose lease is gone fails alone. */
  async #flush(): Promise<void> {
    const jobs = this.#jobs;
    this.#jobs = [];
    const runAll = (): void => {
      for (const job of jobs) {
        delete job.error;
        try {
          this.db.transaction(job.run)();
        } catch (error) {
          // With a full disk SQLite undoes the whole transaction by itself: nobody's rows are saved.
          if (isBusy(error) || !this.db.inTransaction) throw error;
          job.error = error;
        }
      }
    };
    try {
      await whileBusy(async () => this.db.transaction(runAll).immediate(), {
        totalMs: LIMITS.databaseBusyMs,
        nowMs: () => performance.now(),
        waitMs: (ms) => wait(ms),
      });
      for (const job of jobs) job.error === undefined ? job.done() : job.fail(leaseLostOr(job.error));
    } catch (error) {
      for (const job of jobs) job.fail(error);
    }
  }
}

function leaseLostOr(error: unknown): unknown {
  const fenced = error instanceof Error && error.message.includes("lease_lost");
  return fenced ? new AftersalesError("lease_lost", {}, { cause: error }) : error;
}
