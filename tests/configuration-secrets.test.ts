/** No configuration that is committed holds a secret, and the scanner that says so finds every way to hide one that was ever seen. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isSecretName, scanConfiguration, scanLines } from "./support/configuration-scan.js";
import { ROOT } from "./support/workspace.js";

const server = (parts: Record<string, unknown>): unknown => ({ mcpServers: { shop: parts } });
const problems = (parts: Record<string, unknown>): string[] =>
  scanConfiguration(server(parts)).map(({ path, problem }) => `${path.replace("mcpServers.shop.", "")} ${problem}`);

describe("an environment variable whose name says secret", () => {
  test.each([
    ["API_KEY", "abc123", "literal"],
    ["API_KEY", "${API_KEY:-abc123}", "default"],
    ["API_KEY", "${API_KEY:-}", "default"],
    ["API_KEY", "${API_KEY-abc}", "default"],
    ["API_KEY", "${API_KEY:=abc}", "default"],
    ["API_KEY", "Bearer ${API_KEY}", "literal"],
    ["API_KEY", "${ONE}${TWO}", "literal"],
    ["API_KEY", "${api_key}", "literal"],
    ["API_KEY", "x${API_KEY}", "literal"],
    ["API_KEY", "", "literal"],
    ["API_KEY", 5, "literal"],
    ["ORDERS_DB_URL", "postgres://localhost/orders", "literal"],
    ["ORDERS_DB_URL", "${ORDERS_DB_URL:-sqlite:///orders.db}", "default"],
    ["SENTRY_DSN", "anything", "literal"],
    ["REFUND_SIGNING_SECRET", "change-me", "literal"],
    ["AUTH", "abc", "literal"],
    ["PAT", "abc", "literal"],
    ["SESSION_COOKIE", "abc", "literal"],
    ["PASSPHRASE", "abc", "literal"],
    ["DB_PASSWD", "abc", "literal"],
    ["DBPASSWORD", "abc", "literal"],
    ["clientSecret", "abc", "literal"],
    ["GOOGLE_CREDENTIALS", "abc", "literal"],
  ])("%s: %j is a %s", (name, value, problem) => {
    expect(problems({ env: { [name]: value } })).toEqual([`env.${name} ${problem}`]);
  });

  test.each(["API_KEY", "ORDERS_DB_URL", "REFUND_SIGNING_SECRET", "SESSION_COOKIE"])(
    "%s may be a bare variable",
    (name) => {
      expect(problems({ env: { [name]: "${SUPPORT_VALUE}" } })).toEqual([]);
    },
  );
});

describe("what only looks like a secret is left alone", () => {
  test.each([
    { env: { MONKEY: "banana" } },
    { env: { KEYBOARD_LAYOUT: "de" } },
    { env: { TOKENIZER: "bpe" } },
    { env: { AUTHOR: "somebody" } },
    { env: { SERVICE_URL: "https://shop.example/api" } },
    { env: { LOG_LEVEL: "${LOG_LEVEL:-info}" } },
    { env: { PORT: 8080 } },
    { env: null },
    { env: { API_KEY: null } },
    { env: { DISABLE_AUTH: true } },
    { headers: null, args: null, url: null },
    { args: ["dist/commerce.mjs", "--data", "data", "--profile", "alice"] },
    { args: ["--token", "${SHOP_TOKEN}"] },
    { args: ["--token=${SHOP_TOKEN}"] },
    { args: ["--token", "--verbose"] },
    { args: ["-H", "Authorization: Bearer ${SHOP_TOKEN}", "-H", "Accept: text/plain"] },
    { headers: { Authorization: "Bearer ${SHOP_TOKEN}" } },
    { headers: { "X-Api-Key": "${SHOP_TOKEN}" } },
    { headers: { Accept: "application/json" } },
    { url: "https://shop.example/mcp" },
    { url: "https://shop.example/mcp?page=2" },
    { url: "https://${SHOP_USER}:${SHOP_PASSWORD}@shop.example/mcp" },
    { url: "https://shop.example/mcp?api_key=${SHOP_KEY}" },
  ])("%j", (parts) => {
    expect(problems(parts)).toEqual([]);
  });
});

describe("arguments, headers and addresses are read too", () => {
  test.each<[Record<string, unknown>, string]>([
    [{ args: ["--token", "sk-live"] }, "args.1 literal"],
    [{ args: ["--token", "${SHOP_TOKEN:-abc}"] }, "args.1 default"],
    [{ args: ["--token=abc"] }, "args.0 literal"],
    [{ args: ["--api-key", "abc"] }, "args.1 literal"],
    [{ args: ["-e", "API_KEY=abc"] }, "args.1 literal"],
    [{ args: ["start", "sk-live-1234"] }, "args.1 token"],
    [{ args: ["-H", "Authorization: Bearer abc"] }, "args.1 literal"],
    [{ args: ["-c", "TOKEN=abc node server.js"] }, "args.1 literal"],
    [{ args: ["-c", "node server.js --token abc"] }, "args.1 literal"],
    [{ command: "node server.js --password abc" }, "command literal"],
    [{ headers: { Authorization: "Bearer abc" } }, "headers.Authorization literal"],
    [{ headers: { Authorization: "Bearer ${SHOP_TOKEN:-abc}" } }, "headers.Authorization default"],
    [{ headers: { "X-Api-Key": "abc" } }, "headers.X-Api-Key literal"],
    [{ headers: { Cookie: "session=abc" } }, "headers.Cookie literal"],
    [{ url: "https://user:pass@shop.example/mcp" }, "url credentials"],
    [{ url: "https://:pass@shop.example/mcp" }, "url credentials"],
    [{ url: "https://${SHOP_USER}:pass@shop.example/mcp" }, "url credentials"],
    [{ url: "${SHOP_URL:-https://user:pass@shop.example}" }, "url credentials"],
    [{ url: "https://shop.example/mcp?api_key=abc" }, "url literal"],
    [{ url: "https://shop.example/mcp?page=1&token=abc" }, "url literal"],
    [{ env: { SERVICE_URL: "https://user:pass@shop.example" } }, "env.SERVICE_URL credentials"],
    [{ env: { CONNECTION: "Server=shop;Password=abc" } }, "env.CONNECTION literal"],
    [{ env: { HARMLESS: "ghp_0123456789abcdef" } }, "env.HARMLESS token"],
    [{ env: { HARMLESS: "-----BEGIN PRIVATE KEY-----" } }, "env.HARMLESS token"],
    [{ env: { HARMLESS: "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0." } }, "env.HARMLESS token"],
  ])("%j", (parts, expected) => {
    expect(problems(parts)).toEqual([expected]);
  });
});

test("a file of lines is read like an environment", () => {
  expect(scanLines("omit-lockfile-registry-resolved=true\n# _authToken=abc\n")).toEqual([]);
  expect(scanLines("//registry.example/:_authToken=${NPM_TOKEN}\n")).toEqual([]);
  expect(scanLines("//registry.example/:_authToken=abc\n")).toHaveLength(1);
  expect(scanLines("export API_KEY=abc\n")).toHaveLength(1);
});

test("a script may be named after a secret, and its command line may not hold one", () => {
  expect(scanConfiguration({ scripts: { "show:token": "node show.mjs" } })).toEqual([]);
  expect(scanConfiguration({ scripts: { start: "API_KEY=abc node start.mjs" } })).toHaveLength(1);
});

test("a name is judged by its words, however they are put together", () => {
  expect(["apiKey", "API-KEY", "api.key", "refresh_token", "AUTHTOKEN"].filter((name) => !isSecretName(name))).toEqual(
    [],
  );
  expect(["monkey", "keyboard", "turkey", "passenger", "compass", "url"].filter(isSecretName)).toEqual([]);
});

const names = readdirSync(ROOT);
const jsonFiles = names.filter((name) => name.endsWith(".json") && name !== "package-lock.json");
const lineFiles = names.filter((name) => name === ".npmrc" || /^\.env\.(?:example|sample|template)$/.test(name));

test.each(jsonFiles)("%s holds no secret", (name) => {
  expect(scanConfiguration(JSON.parse(readFileSync(join(ROOT, name), "utf8")))).toEqual([]);
});

test.each(lineFiles)("%s holds no secret", (name) => {
  expect(scanLines(readFileSync(join(ROOT, name), "utf8"))).toEqual([]);
});

test("the declared server, the graph server and the package are among the files looked at", () => {
  expect(jsonFiles).toEqual(
    expect.arrayContaining([".mcp.json", "langgraph.json", "langgraph.auth.json", "package.json"]),
  );
  expect(existsSync(join(ROOT, ".mcp.json"))).toBe(true);
});
