/** Owns which saved step is the newest: the one written last. */
import type { RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointListOptions, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { z } from "zod";

export const NEWEST_FIRST = "order by rowid desc";

const IdRow = z.object({ checkpoint_id: z.string() });

/**
 * LangGraph's SQLite saver, except for what it takes for the newest step. It takes the greatest id, and ids begin with the wall clock: a step
 * saved after the clock was set back would count as an old one, and the case would stand before an answered question for ever.
 */
export class WrittenOrderSaver extends SqliteSaver {
  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id, checkpoint_ns = "", checkpoint_id } = config.configurable ?? {};
    if (checkpoint_id) return super.getTuple(config);
    const [newest] = this.#newestFirst("thread_id = ? and checkpoint_ns = ?", [thread_id, checkpoint_ns], 1);
    if (newest === undefined) return undefined;
    return super.getTuple({ configurable: { thread_id, checkpoint_ns, checkpoint_id: newest } });
  }

  /** Newest first. Read whole: a thread has some dozens of steps. */
  override async *list(
    config: RunnableConfig,
    { before, limit, ...rest }: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const written = this.#newestFirst("thread_id = coalesce(?, thread_id)", [config.configurable?.thread_id]);
    const rank = new Map(written.map((id, index) => [id, index]));
    const rankOf = ({ configurable }: RunnableConfig): number =>
      rank.get(configurable?.checkpoint_id) ?? written.length;
    const tuples: CheckpointTuple[] = [];
    for await (const tuple of super.list(config, rest)) tuples.push(tuple);
    const older = tuples.filter((tuple) => before === undefined || rankOf(tuple.config) > rankOf(before));
    yield* older.sort((a, b) => rankOf(a.config) - rankOf(b.config)).slice(0, limit);
  }

  #newestFirst(condition: string, values: unknown[], limit = -1): string[] {
    const sql = `select checkpoint_id from checkpoints where ${condition} ${NEWEST_FIRST} limit ${limit}`;
    return IdRow.array()
      .parse(this.db.prepare(sql).all(...values))
      .map((row) => row.checkpoint_id);
  }
}
