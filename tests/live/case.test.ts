import { expect, test } from "vitest";
import { readConfig } from "../../src/adapters/config.js";
import { ASK_LIVE, LIVE_KEY, LiveCase, liveSettings } from "../support/live-endpoint.js";
import { startModelServer } from "../support/model-server.js";
import { scripted } from "../support/scripted-endpoint.js";
import { createWorkspace, jsonOf } from "../support/workspace.js";

const settings = (url: string) => readConfig(liveSettings(url));

test("a refund asked for over a live endpoint waits for a reviewer with 12,900 cents", async () => {
  const server = await startModelServer();
  server.answer(scripted);
  const workspace = createWorkspace();
  const run = await workspace.inProcess(ASK_LIVE, { config: settings(server.url) });
  const shown = LiveCase.parse(jsonOf(run));
  expect(run.code).toBe(0);
  expect(shown).toMatchObject({
    status: "waiting_approval",
    model: "deepseek-chat",
    proposal: { orderId: "QH-1001", amountCents: 12_900 },
    budget: { model: { used: 5 }, tools: { used: 1 } },
  });
  expect(server.requests).toHaveLength(5);
  expect(workspace.query("commerce", "select count(*) n from receipts")).toEqual([{ n: 0 }]);
  const written = ["application", "checkpoints"] as const;
  const tables = {
    application: "select * from cases, events, approvals",
    checkpoints: "select checkpoint from checkpoints",
  };
  for (const file of written) expect(JSON.stringify(workspace.query(file, tables[file]))).not.toContain(LIVE_KEY);
  expect(run.stdout + run.stderr).not.toContain(LIVE_KEY);
  for (const { path, body } of server.requests) {
    expect(path).toBe("/chat/completions");
    expect(body).toMatchObject({ stream: false, thinking: { type: "disabled" } });
    expect(body.tool_choice).toBeUndefined();
  }
});

test("only the investigation is offered tools: the twelve, without any that pays", async () => {
  const server = await startModelServer();
  server.answer(scripted);
  await createWorkspace().inProcess(ASK_LIVE, { config: settings(server.url) });
  const offered = server.requests.map(({ body }) => body.tools?.map((tool) => tool.function.name) ?? []);
  expect(offered.map((names) => names.length)).toEqual([0, 12, 12, 0, 0]);
  expect(offered.flat()).not.toContain("execute_refund");
  expect(offered.flat()).not.toContain("create_ticket");
});

test("without a key no case is opened, and nothing else answers in the model's place", async () => {
  const workspace = createWorkspace();
  const run = await workspace.inProcess(ASK_LIVE, { config: readConfig({}) });
  expect(run.code).toBe(1);
  expect(jsonOf(run)).toMatchObject({ error: { code: "model_not_configured" } });
  expect(workspace.query("application", "select count(*) n from cases")).toEqual([{ n: 0 }]);
});
