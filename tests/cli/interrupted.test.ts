import { spawn } from "node:child_process";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { expect, it } from "vitest";
import { z } from "zod";
import { startModelServer } from "../support/model-server.js";
import { CLI, createWorkspace, jsonOf } from "../support/workspace.js";

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
  expect(run.stderr).toContain(`--model rehearsal resume ${caseId}\n`);
  expect(workspace.query("application", "select owner from leases")).toEqual([{ owner: null }]);
  expect(workspace.query("application", "select status, phase, error_code from cases")).toEqual([
    { status: "queued", phase: "plan", error_code: "cancelled" },
  ]);
  const resumed = await workspace.inProcess(["--json", "resume", caseId]);
  expect(resumed.code).toBe(0);
  expect(jsonOf(resumed)).toMatchObject({ status: "waiting_approval", proposal: { amountCents: 12900 } });
});

it.each(["SIGINT", "SIGTERM"] as const)(
  "%s while a model is asked ends the command at once, says how to go on, and that works",
  async (signal) => {
    const workspace = createWorkspace();
    const server = await startModelServer();
    const asked = new Promise<void>((done) => {
      server.answer(() => {
        done();
        return { silent: "nothing" };
      });
    });
    const args = ["--state-dir", workspace.stateDir, "ask", "Please refund QH-1001.", "--language", "en"];
    const settings = { AFTERSALES_API_KEY: "k", AFTERSALES_MODEL: "m", AFTERSALES_BASE_URL: server.url };
    const child = spawn(process.execPath, [CLI, ...args], { env: settings, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
    const ended = new Promise<number | null>((done) => child.on("close", done));
    await asked;
    child.kill(signal);
    expect(await ended, said).toBe(1);
    const [, command = ""] = /^Go on with: npx aftersales (.+)$/m.exec(said) ?? [];
    const resumed = await workspace.inProcess(["--json", "--model", "rehearsal", ...command.split(" ")]);
    expect(jsonOf(resumed)).toMatchObject({ status: "waiting_approval", proposal: { amountCents: 12900 } });
  },
);
