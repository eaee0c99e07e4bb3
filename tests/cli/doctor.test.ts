import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { LIVE_KEY, liveSettings } from "../support/live-endpoint.js";
import { completion, startModelServer } from "../support/model-server.js";
import { createWorkspace, jsonOf, ROOT, type Run } from "../support/workspace.js";

const Report = z.strictObject({
  ok: z.boolean(),
  version: z.string(),
  checks: z.array(
    z.strictObject({
      name: z.string(),
      status: z.enum(["ok", "note", "broken"]),
      detail: z.string(),
      code: z.string().optional(),
      advice: z.string().optional(),
    }),
  ),
});

type Check = Omit<z.infer<typeof Report>["checks"][number], "name">;

const DOCTOR = ["--json", "--model", "live", "doctor"];

function checksOf(run: Run): Record<string, Check> {
  const { checks, ok } = Report.parse(jsonOf(run));
  expect(run.code).toBe(ok ? 0 : 1);
  expect(run.stdout + run.stderr).not.toMatch(/\n\s+at .*:\d+/);
  return Object.fromEntries(checks.map(({ name, ...check }) => [name, check]));
}

function statuses(run: Run): Record<string, string> {
  return Object.fromEntries(Object.entries(checksOf(run)).map(([name, { status }]) => [name, status]));
}

const SOUND = { node: "ok", data: "ok", state: "ok", commerce: "ok", model: "ok", tracing: "ok" };

test("a sound installation is told part by part, with the variables that were read and never the key", async () => {
  const server = await startModelServer();
  const env = { ...liveSettings(server.url), AFTERSALES_API_KEY: "", DEEPSEEK_API_KEY: LIVE_KEY };
  const run = await createWorkspace().cli(["--model", "live", "doctor"], { env });
  expect(run.code).toBe(0);
  expect(run.stdout).toContain(
    `ok     model     deepseek-chat from AFTERSALES_MODEL, key from DEEPSEEK_API_KEY, endpoint ${new URL(server.url).host} from AFTERSALES_BASE_URL`,
  );
  expect(run.stdout).toContain("8 tools");
  expect(run.stdout + run.stderr).not.toContain(LIVE_KEY);
  expect(server.requests).toEqual([]);
});

test("without a model it says which variable to set, and nothing is broken", async () => {
  const run = await createWorkspace().cli(DOCTOR);
  expect(statuses(run)).toEqual({ ...SOUND, model: "note" });
  expect(checksOf(run).model).toMatchObject({
    code: "model_not_configured",
    detail: expect.stringMatching(/AFTERSALES_API_KEY/),
  });
  expect(statuses(await createWorkspace().cli(["--json", "doctor"]))).toEqual(SOUND);
});

test("a setting that cannot be used is broken, by name", async () => {
  const env = { ...liveSettings("http://api.example.com"), AFTERSALES_TRACING: "1", LANGSMITH_TRACING: "true" };
  const run = await createWorkspace().cli(DOCTOR, { env });
  expect(statuses(run)).toEqual({ ...SOUND, model: "broken", tracing: "note" });
  expect(checksOf(run).model).toMatchObject({ code: "model_settings_invalid", advice: "Correct AFTERSALES_BASE_URL." });
});

test("a state directory that is missing or incomplete is broken, and init is the advice", async () => {
  const workspace = createWorkspace();
  rmSync(join(workspace.stateDir, "host", "checkpoints.db"));
  const incomplete = checksOf(await workspace.cli(DOCTOR));
  expect(incomplete.state).toMatchObject({
    status: "broken",
    code: "state_missing",
    advice: expect.stringMatching(/aftersales init/),
  });
  expect(incomplete.state?.detail).toContain(join("host", "checkpoints.db"));
  rmSync(workspace.stateDir, { recursive: true });
  const missing = await workspace.cli(DOCTOR);
  expect(statuses(missing)).toEqual({ ...SOUND, state: "broken", commerce: "broken", model: "note" });
  expect(missing.stderr).toContain("(installation_broken)");
});

test("a database that is none is broken", async () => {
  const workspace = createWorkspace();
  for (const suffix of ["", "-wal", "-shm"])
    writeFileSync(join(workspace.stateDir, "host", `application.db${suffix}`), "no database");
  expect(statuses(await workspace.cli(DOCTOR))).toEqual({ ...SOUND, state: "broken", model: "note" });
});

test("a state directory that others may read is broken, and says how to close it", async () => {
  const workspace = createWorkspace();
  chmodSync(join(workspace.stateDir, "host", "keys", "grant-private.jwk"), 0o644);
  const { state } = checksOf(await workspace.cli(DOCTOR));
  expect(state).toMatchObject({ status: "broken", code: "state_not_private", advice: expect.stringMatching(/chmod/) });
  expect(state?.detail).toContain("grant-private.jwk");
});

test("data that does not load is broken, and the file is named", async () => {
  const workspace = createWorkspace();
  const data = join(workspace.stateDir, "data");
  mkdirSync(data);
  cpSync(join(ROOT, "data"), data, { recursive: true });
  const business = join(data, "business.json");
  writeFileSync(business, readFileSync(business, "utf8").replace("{", "{{"));
  const { data: found } = checksOf(await workspace.cli([...DOCTOR, "--data", data]));
  expect(found).toMatchObject({ status: "broken", code: "data_invalid", advice: expect.stringMatching(/check-data/) });
  expect(found?.detail).toContain("business.json");
  expect(checksOf(await workspace.cli([...DOCTOR, "--data", join(data, "absent")])).data?.status).toBe("broken");
});

test.each([
  ["is not there", '["no-such-program"]'],
  ["ends at once", JSON.stringify([process.execPath, "-e", "process.exit(3)"])],
])("a commerce process that %s is broken, and the rest is still looked at", async (_what, command) => {
  const run = await createWorkspace().cli(DOCTOR, { env: { AFTERSALES_COMMERCE_COMMAND: command } });
  expect(statuses(run)).toEqual({ ...SOUND, commerce: "broken", model: "note" });
  expect(checksOf(run).commerce).toMatchObject({
    code: "commerce_unavailable",
    advice: expect.stringMatching(/AFTERSALES_COMMERCE_COMMAND/),
  });
});

test("--live sends one small request without any customer's words", async () => {
  const server = await startModelServer();
  server.queue.push(completion({ content: '{"ok":true}' }));
  const run = await createWorkspace().cli([...DOCTOR, "--live"], { env: liveSettings(server.url) });
  expect(statuses(run)).toEqual({ ...SOUND, request: "ok" });
  expect(checksOf(run).request?.detail).toContain("100 tokens in, 20 out");
  expect(server.requests).toHaveLength(1);
  expect(JSON.stringify(server.requests[0]?.body.messages)).not.toMatch(/QH-|alice/);
});

test("--live tells an endpoint that refuses, in one request and without the key", async () => {
  const server = await startModelServer();
  server.queue.push({ status: 401, json: { error: { message: `bad key ${LIVE_KEY}` } } });
  const run = await createWorkspace().cli([...DOCTOR, "--live"], { env: liveSettings(server.url) });
  expect(statuses(run)).toEqual({ ...SOUND, request: "broken" });
  expect(checksOf(run).request).toMatchObject({
    code: "model_refused",
    advice: expect.stringMatching(/doctor --live/),
  });
  expect(server.requests).toHaveLength(1);
  expect(run.stdout + run.stderr).not.toContain(LIVE_KEY);
});

test("--live without a model is broken", async () => {
  const run = await createWorkspace().cli([...DOCTOR, "--live"]);
  expect(statuses(run)).toEqual({ ...SOUND, model: "note", request: "broken" });
});
