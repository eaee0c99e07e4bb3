import { expect, test } from "vitest";
import { z } from "zod";
import { readConfig } from "../../src/adapters/config.js";
import { startModelServer } from "../support/model-server.js";
import { scripted } from "../support/scripted-endpoint.js";
import { createWorkspace, jsonOf } from "../support/workspace.js";

const KEY = "sk-live-0123456789abcdef";
const Waiting = z.looseObject({
  status: z.string(),
  model: z.string(),
  proposal: z.looseObject({ amountCents: z.number(), orderId: z.string() }),
  budget: z.unknown(),
});
const ASK = ["--json", "--model", "live", "ask", "Please refund QH-1001.", "--language", "en"];
const settings = (url: string) =>
  readConfig({ AFTERSALES_API_KEY: KEY, AFTERSALES_MODEL: "deepseek-chat", AFTERSALES_BASE_URL: url });

test("a refund asked for over a live endpoint waits for a reviewer with 12,900 cents", async () => {
  const server = await startModelServer();
  server.answer(scripted);
  const workspace = createWorkspace();
  const run = await workspace.inProcess(ASK, { config: settings(server.url) });
  const shown = Waiting.parse(jsonOf(run));
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
  for (const file of written) expect(JSON.stringify(workspace.query(file, tables[file]))).not.toContain(KEY);
  expect(run.stdout + run.stderr).not.toContain(KEY);
  for (const { path, body } of server.requests) {
    expect(path).toBe("/chat/completions");
    expect(body).toMatchObject({ stream: false, thinking: { type: "disabled" } });
    expect(body.tool_choice).toBeUndefined();
  }
});

test("only the investigation is offered tools: the twelve, without any that pays", async () => {
  const server = await startModelServer();
  server.answer(scripted);
  await createWorkspace().inProcess(ASK, { config: settings(server.url) });
  const offered = server.requests.map(({ body }) => body.tools?.map((tool) => tool.function.name) ?? []);
  expect(offered.map((names) => names.length)).toEqual([0, 12, 12, 0, 0]);
  expect(offered.flat()).not.toContain("execute_refund");
  expect(offered.flat()).not.toContain("create_ticket");
});

test("an endpoint that refuses leaves a failed case that a retry completes, each request charged once", async () => {
  const server = await startModelServer();
  server.answer((request, count) =>
    count === 2 ? { status: 401, json: { error: { message: `bad key ${KEY}` } } } : scripted(request),
  );
  const workspace = createWorkspace();
  const config = settings(server.url);
  const failed = await workspace.inProcess(ASK, { config });
  const shown = z
    .looseObject({ caseId: z.string(), status: z.string(), error: z.looseObject({ code: z.string() }) })
    .parse(jsonOf(failed));
  expect(failed.code).toBe(1);
  expect(shown).toMatchObject({ status: "failed", error: { code: "model_refused" } });
  expect(failed.stdout + failed.stderr).not.toContain(KEY);
  expect(JSON.stringify(workspace.query("application", "select * from events"))).not.toContain(KEY);
  const again = await workspace.inProcess(["--json", "--model", "live", "resume", shown.caseId, "--retry"], { config });
  expect(Waiting.parse(jsonOf(again))).toMatchObject({
    status: "waiting_approval",
    proposal: { amountCents: 12_900 },
    budget: { model: { used: 6 } },
  });
  expect(server.requests).toHaveLength(6);
});

test("without a key no case is opened, and nothing else answers in the model's place", async () => {
  const workspace = createWorkspace();
  const run = await workspace.inProcess(ASK, { config: readConfig({}) });
  expect(run.code).toBe(1);
  expect(jsonOf(run)).toMatchObject({ error: { code: "model_not_configured" } });
  expect(workspace.query("application", "select count(*) n from cases")).toEqual([{ n: 0 }]);
});
