import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ASK_LIVE, LIVE_KEY, LiveCase, liveSettings } from "../support/live-endpoint.js";
import { startModelServer } from "../support/model-server.js";
import { scripted } from "../support/scripted-endpoint.js";
import { CLI, createWorkspace, jsonOf, runProcess } from "../support/workspace.js";

/** Stands where LangSmith would: counts what arrives and keeps it. */
async function startListener(): Promise<{ url: string; received: () => string; requests: () => number }> {
  const bodies: string[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      bodies.push(Buffer.concat(chunks).toString("utf8"));
      const info = { version: "0.12.0", batch_ingest_config: { use_multipart_endpoint: false, size_limit: 100 } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(incoming.url?.endsWith("/info") ? info : {}));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    received: () => bodies.join("\n"),
    requests: () => bodies.length,
  };
}

const everyTracing = (url: string): Record<string, string> => ({
  LANGSMITH_TRACING: "true",
  LANGSMITH_TRACING_V2: "true",
  LANGCHAIN_TRACING_V2: "true",
  LANGSMITH_ENDPOINT: url,
  LANGCHAIN_ENDPOINT: url,
  LANGSMITH_API_KEY: "lsv2_test",
  LANGCHAIN_API_KEY: "lsv2_test",
  // Without it the client may end before its last upload.
  LANGCHAIN_CALLBACKS_BACKGROUND: "false",
});

test("with every tracing and logging variable of the libraries set, only the model's endpoint hears anything", async () => {
  const [server, listener] = [await startModelServer(), await startListener()];
  server.answer(scripted);
  const noise = { OPENAI_LOG: "debug", LANGCHAIN_VERBOSE: "true" };
  const env = { ...liveSettings(server.url), ...everyTracing(listener.url), ...noise };
  const run = await createWorkspace().cli(ASK_LIVE, { env });
  expect(LiveCase.parse(jsonOf(run))).toMatchObject({ status: "waiting_approval" });
  expect([server.requests.length, listener.requests()]).toEqual([5, 0]);
  expect(run.stdout + run.stderr).not.toContain(LIVE_KEY);
  expect(run.stderr).not.toContain("LangSmith");
});

test("tracing that the operator asked for is announced first, and does not hold the key", async () => {
  const [server, listener] = [await startModelServer(), await startListener()];
  server.answer(scripted);
  const env = { ...liveSettings(server.url), ...everyTracing(listener.url), AFTERSALES_TRACING: "1" };
  const run = await createWorkspace().cli(ASK_LIVE, { env });
  expect(LiveCase.parse(jsonOf(run))).toMatchObject({ status: "waiting_approval" });
  expect(run.stderr.split("\n")[0]).toMatch(/^Tracing is on .*LangSmith/);
  expect(listener.requests()).toBeGreaterThan(0);
  expect(listener.received()).not.toContain(LIVE_KEY);
});

test("a .env in the working directory configures the model; the environment comes before it", async () => {
  const server = await startModelServer();
  server.answer(scripted);
  const workspace = createWorkspace();
  const cwd = join(workspace.stateDir, "elsewhere");
  mkdirSync(cwd);
  const lines = Object.entries({ ...liveSettings(server.url), AFTERSALES_MODEL: "from-the-file" });
  writeFileSync(join(cwd, ".env"), lines.map(([name, value]) => `${name}="${value}"`).join("\n"));
  const args = [CLI, "--state-dir", workspace.stateDir, ...ASK_LIVE];
  const plain = await runProcess(process.execPath, args, { cwd });
  expect(jsonOf(plain)).toMatchObject({ status: "waiting_approval", model: "from-the-file" });
  const named = await runProcess(process.execPath, args, { cwd, env: { AFTERSALES_MODEL: "from-the-environment" } });
  expect(jsonOf(named)).toMatchObject({ model: "from-the-environment" });
  expect(plain.stdout + plain.stderr + named.stderr).not.toContain(LIVE_KEY);
});

test("a setting that cannot be used opens no case and sends nothing", async () => {
  const workspace = createWorkspace();
  const env = { ...liveSettings("http://api.example.com"), AFTERSALES_API_KEY: LIVE_KEY };
  const run = await workspace.cli(ASK_LIVE, { env });
  expect(run.code).toBe(1);
  expect(jsonOf(run)).toMatchObject({ error: { code: "model_settings_invalid" } });
  expect(run.stderr).toContain("AFTERSALES_BASE_URL cannot be used");
  expect(workspace.query("application", "select count(*) n from cases")).toEqual([{ n: 0 }]);
});
