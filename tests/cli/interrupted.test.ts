import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { expect, it } from "vitest";
import { z } from "zod";
import { createWorkspace, jsonOf } from "../support/workspace.js";

/** A model that never answers, and says when it has been asked. */
class SilentModel extends BaseChatModel {
  readonly asked: Promise<void>;
  #ask: () => void = () => undefined;

  constructor() {
    super({ maxRetries: 0 });
    this.asked = new Promise((done) => {
      this.#ask = done;
    });
  }

  _llmType(): string {
    return "silent";
  }

  async _generate(): Promise<ChatResult> {
    this.#ask();
    await new Promise(() => undefined);
    return { generations: [{ text: "", message: new AIMessage("") }] };
  }
}

it("stopping a command leaves a case that nobody holds and that a plain resume finishes", async () => {
  const workspace = createWorkspace();
  const stop = new AbortController();
  const model = new SilentModel();
  const running = workspace.inProcess(["--json", "ask", "Please refund QH-1001.", "--language", "en"], {
    givenModel: model,
    signal: stop.signal,
  });
  await model.asked;
  stop.abort();
  const run = await running;
  expect(run.code).toBe(1);
  expect(run.stderr).toContain("(cancelled)");
  const { caseId } = z.looseObject({ caseId: z.string() }).parse(jsonOf(run));
  expect(workspace.query("application", "select owner from leases")).toEqual([{ owner: null }]);
  expect(workspace.query("application", "select status, phase, error_code from cases")).toEqual([
    { status: "queued", phase: "plan", error_code: "cancelled" },
  ]);
  const resumed = await workspace.inProcess(["--json", "resume", caseId]);
  expect(resumed.code).toBe(0);
  expect(jsonOf(resumed)).toMatchObject({ status: "waiting_approval", proposal: { amountCents: 12900 } });
});
