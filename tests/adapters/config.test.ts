import { join } from "node:path";
import { expect, test } from "vitest";
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
  expect(readConfig({ ...env }).live).toEqual({ ok: true, settings });
});

test.each([
  [{}, "AFTERSALES_API_KEY"],
  [{ AFTERSALES_API_KEY: "" }, "AFTERSALES_API_KEY"],
  [{ AFTERSALES_MODEL: "m" }, "AFTERSALES_API_KEY"],
  [{ AFTERSALES_API_KEY: "k" }, "AFTERSALES_MODEL"],
  [{ AFTERSALES_API_KEY: "k", AFTERSALES_MODEL: "" }, "AFTERSALES_MODEL"],
])("with %j the missing setting is named", (env, missing) => {
  expect(readConfig(env)).toMatchObject({ modelKind: "live", live: { ok: false, missing } });
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
