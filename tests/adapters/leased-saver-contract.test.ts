import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint, CheckpointMetadata, PendingWrite } from "@langchain/langgraph-checkpoint";
import { validate } from "@langchain/langgraph-checkpoint-validation";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LeasedSaver } from "../../src/adapters/leased-saver.js";

/** LangGraph's own suite knows nothing of leases: this one claims every thread it is first asked to write. */
class ClaimingSaver extends LeasedSaver {
  readonly #claimed = new Set<string>();

  async #claim(threadId: unknown): Promise<void> {
    if (typeof threadId !== "string" || this.#claimed.has(threadId)) return;
    this.#claimed.add(threadId);
    await this.raise(threadId, 1);
  }

  override async put(config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata) {
    await this.#claim(config.configurable?.thread_id);
    return super.put(config, checkpoint, metadata);
  }

  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    await this.#claim(config.configurable?.thread_id);
    return super.putWrites(config, writes, taskId);
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#claim(threadId);
    return super.deleteThread(threadId);
  }
}

// The suite was written for a runner with global functions.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });

validate({
  // Under this name the suite leaves out the one thing that the SQLite saver does not do: storing only changed channels.
  checkpointerName: "@langchain/langgraph-checkpoint-sqlite",
  createCheckpointer: () => new ClaimingSaver(new Database(":memory:")),
  destroyCheckpointer: (saver) => void saver.db.close(),
});
