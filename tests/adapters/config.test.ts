import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packageRoot, packageVersion, readConfig } from "../../src/adapters/config.js";

const KEYS = {
  AFTERSALES_API_KEY: "a-key",
  DEEPSEEK_API_KEY: "d-key",
  OPENAI_API_KEY: "o-key",
  AFTERSALES_MODEL: "a-model",
  DEEPSEEK_MODEL: "d-model",
  OPENAI_MODEL: "o-model",
  AFTERSALES_BASE_URL: "https://a.example",
  DEEPSEEK_BASE_URL: "https://d.example",
  OPENAI_BASE_URL: "https://o.example",
};
const without = (pattern: RegExp): Record<string, string> =>
  Object.fromEntries(Object.entries(KEYS).filter(([name]) => !pattern.test(name)));

test.each([
  ["AFTERSALES before all", KEYS, { apiKey: "a-key", model: "a-model", baseUrl: "https://a.example" }],
  ["then DEEPSEEK", without(/^AFTERSALES/), { apiKey: "d-key", model: "d-model", baseUrl: "https://d.example" }],
  [
    "then OPENAI",
    without(/^(AFTERSALES|DEEPSEEK)/),
    { apiKey: "o-key", model: "o-model", baseUrl: "https://o.example" },
  ],
  [
    "each value by itself",
    { DEEPSEEK_API_KEY: "d-key", AFTERSALES_MODEL: "a-model" },
    { apiKey: "d-key", model: "a-model", baseUrl: "https://api.deepseek.com" },
  ],
])("model settings are taken from %s", (_what, env, settings) => {
  expect(readConfig({ ...env }).live).toMatchObject({ ok: true, settings });
});

test.each([
  [{}, "AFTERSALES_API_KEY"],
  [{ AFTERSALES_API_KEY: "" }, "AFTERSALES_API_KEY"],
  [{ AFTERSALES_MODEL: "m" }, "AFTERSALES_API_KEY"],
  [{ AFTERSALES_API_KEY: "k" }, "AFTERSALES_MODEL"],
  [{ AFTERSALES_API_KEY: "k", AFTERSALES_MODEL: "" }, "AFTERSALES_MODEL"],
  [{ AFTERSALES_API_KEY: " ", AFTERSALES_MODEL: "m" }, "AFTERSALES_API_KEY"],
])("with %j the missing setting is named", (env, missing) => {
  expect(readConfig(env)).toMatchObject({ modelKind: "live", live: { ok: false, missing } });
});

test("a blank setting is as good as none: the next variable counts", () => {
  expect(readConfig({ ...KEYS, AFTERSALES_API_KEY: " ", AFTERSALES_MODEL: "" }).live).toMatchObject({
    settings: { apiKey: "d-key", model: "d-model", baseUrl: "https://a.example" },
    sources: { apiKey: "DEEPSEEK_API_KEY", model: "DEEPSEEK_MODEL", baseUrl: "AFTERSALES_BASE_URL" },
  });
});

test.each([
  ["DEEPSEEK", { DEEPSEEK_API_KEY: "k", OPENAI_BASE_URL: "https://o.example" }, "https://api.deepseek.com"],
  ["OPENAI", { OPENAI_API_KEY: "k" }, "https://api.openai.com/v1"],
  ["AFTERSALES", { AFTERSALES_API_KEY: "k", OPENAI_BASE_URL: "https://o.example" }, "https://o.example"],
])("a key of %s goes to no address of another provider", (_family, env, baseUrl) => {
  expect(readConfig({ AFTERSALES_MODEL: "m", ...env }).live).toMatchObject({ settings: { baseUrl } });
});

test.each([
  ["AFTERSALES_BASE_URL", "api.example.com/v1"],
  ["AFTERSALES_BASE_URL", "ftp://api.example.com"],
  ["AFTERSALES_BASE_URL", "http://api.example.com"],
  ["AFTERSALES_BASE_URL", "http://127.0.0.1.example.com"],
  ["AFTERSALES_BASE_URL", "https://user:secret@api.example.com"],
  ["AFTERSALES_BASE_URL", "https://api.example.com?key=secret"],
  ["AFTERSALES_API_KEY", "se cret"],
  ["AFTERSALES_API_KEY", "secret\nX-Other: 1"],
])("%s=%j is refused by the variable's name, and its value is not repeated", (variable, value) => {
  const { live } = readConfig({ AFTERSALES_API_KEY: "k", AFTERSALES_MODEL: "m", [variable]: value });
  expect(live).toMatchObject({ ok: false, code: "model_settings_invalid", variable });
  expect(JSON.stringify(live)).not.toContain("cret");
});

test.each(["https://api.example.com/v1/", "http://localhost:1234/v1", "http://127.0.0.1:1", "http://[::1]:1"])(
  "%s can be used",
  (url) => {
    expect(readConfig({ ...KEYS, AFTERSALES_BASE_URL: url }).live).toMatchObject({ settings: { baseUrl: url } });
  },
);

test("an env file gives the model's settings that the environment does not, and nothing else", () => {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-env-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "settings");
  const lines = [
    "# mine",
    'DEEPSEEK_API_KEY="f-key"',
    "AFTERSALES_MODEL=f-model",
    "export DEEPSEEK_BASE_URL=https://f.example",
  ];
  const others = ['AFTERSALES_COMMERCE_COMMAND=["evil"]', "AFTERSALES_TRACING=1", "AFTERSALES_STATE_DIR=/elsewhere"];
  writeFileSync(file, [...lines, ...others].join("\n"));
  const config = readConfig(
    { AFTERSALES_ENV_FILE: file, AFTERSALES_MODEL: "m", LANGSMITH_TRACING: "true" },
    { mayTrace: true },
  );
  expect(config.live).toMatchObject({ settings: { apiKey: "f-key", model: "m", baseUrl: "https://f.example" } });
  expect(config.commerce.command).toBe(process.execPath);
  expect([config.isTraced, config.studio.stateDir]).toEqual([false, join(packageRoot(), ".state")]);
  expect(() => readConfig({ AFTERSALES_ENV_FILE: join(folder, "absent") })).toThrow(
    expect.objectContaining({ code: "data_invalid" }),
  );
});

test("rehearsal is only chosen by name, also when a key is there", () => {
  expect(readConfig({ ...KEYS, AFTERSALES_MODEL: "rehearsal" })).toMatchObject({
    modelKind: "rehearsal",
    live: { ok: false },
  });
  expect(readConfig({ ...KEYS, DEEPSEEK_MODEL: "rehearsal" }).modelKind).toBe("live");
});

test.each(["LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2"])(
  "%s is deleted before any text could be sent",
  (name) => {
    const env: Record<string, string> = { [name]: "true", OTHER: "kept" };
    readConfig(env);
    expect(env).toEqual({ OTHER: "kept" });
  },
);

test("tracing takes this program's own variable, and even then only the command line may", () => {
  const env = (): Record<string, string> => ({ AFTERSALES_TRACING: "1", LANGSMITH_TRACING: "true" });
  const [allowed, server] = [env(), env()];
  expect(readConfig(allowed, { mayTrace: true }).isTraced).toBe(true);
  expect(allowed).toEqual(env());
  expect(readConfig(server).isTraced).toBe(false);
  expect(server).toEqual({ AFTERSALES_TRACING: "1" });
  expect(readConfig({ AFTERSALES_TRACING: "1" }, { mayTrace: true }).isTraced).toBe(false);
});

test("the commerce process is the shipped one unless another command is named", () => {
  expect(readConfig({}).commerce).toEqual({
    command: process.execPath,
    args: [join(packageRoot(), "dist", "commerce.mjs")],
  });
  expect(readConfig({ AFTERSALES_COMMERCE_COMMAND: '["node","a b.mjs","--x"]' }).commerce).toEqual({
    command: "node",
    args: ["a b.mjs", "--x"],
  });
});

test.each(["", "node server.mjs", "[]", '[""]', '["node",1]', '{"command":"node"}', "null", '"node"'])(
  "the commerce command %j is refused with what it has to be",
  (value) => {
    expect(() => readConfig({ AFTERSALES_COMMERCE_COMMAND: value })).toThrow(
      expect.objectContaining({ code: "usage", message: expect.stringContaining("JSON list of strings") }),
    );
  },
);

test("Studio asks as alice and decides as nobody unless told otherwise", () => {
  expect(readConfig({}).studio).toMatchObject({ customer: "alice", reviewer: null });
  const env = { AFTERSALES_STUDIO_CUSTOMER: "bob", AFTERSALES_STUDIO_REVIEWER: "chen", AFTERSALES_STATE_DIR: "/s" };
  expect(readConfig(env).studio).toMatchObject({ customer: "bob", reviewer: "chen", stateDir: "/s" });
  expect(readConfig({ AFTERSALES_STUDIO_REVIEWER: "" }).studio.reviewer).toBeNull();
});

test("bearer tokens count under the key set of the state directory unless another is named", () => {
  const demo = { issuer: "qinghe-demo", audience: "qinghe-aftersales" };
  const at = { AFTERSALES_STATE_DIR: "/s" };
  expect(readConfig(at).studio.tokens).toEqual({ ...demo, keysFile: join("/s", "auth", "jwks.json") });
  const named = { AFTERSALES_AUTH_KEYS: "/k.json", AFTERSALES_AUTH_ISSUER: "i", AFTERSALES_AUTH_AUDIENCE: "a" };
  expect(readConfig({ ...at, ...named }).studio.tokens).toEqual({ keysFile: "/k.json", issuer: "i", audience: "a" });
});

test("the package knows its folder and its version", () => {
  expect(packageVersion()).toMatch(/^\d+\.\d+\.\d+/);
});
