import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTokenReader, type ReadToken } from "../../src/adapters/bearer-tokens.js";
import { AUDIENCE, type Claims, createIssuer, ISSUER, type Issuer, type Signing } from "../support/demo-issuer.js";
import { ROOT, runProcess } from "../support/workspace.js";

const folder = mkdtempSync(join(tmpdir(), "aftersales-tokens-"));
const keysFile = join(folder, "jwks.json");
const dataDir = join(ROOT, "data");
const settings = { keysFile, issuer: ISSUER, audience: AUDIENCE };
const soon = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;
let issuer: Issuer;
let read: ReadToken;

beforeAll(async () => {
  issuer = await createIssuer();
  issuer.writeKeys(keysFile);
  read = createTokenReader({ settings, dataDir, nowMs: () => Date.now() });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a bearer token", () => {
  it("stands for the profile its claims name", async () => {
    const reviewer = { tenant: "qinghe", user: "chen", role: "reviewer" };
    expect(await read(`Bearer ${await issuer.token({ sub: "chen" })}`)).toEqual(reviewer);
    expect(await read(`bearer ${await issuer.token({ sub: "alice" })}`)).toMatchObject({
      user: "alice",
      role: "customer",
    });
  });

  const wrong: [string, Claims, Signing?][] = [
    ["has expired", {}, { expires: soon(-60) }],
    ["never expires", {}, { expires: null }],
    ["is not valid yet", { nbf: soon(600) }],
    ["was issued by another", { iss: "somebody" }],
    ["was issued for another service", { aud: "elsewhere" }],
    ["names a key that is not in the set", {}, { header: { kid: "other" } }],
    ["gives a customer the reviewer's role", { sub: "alice", role: "reviewer" }],
    ["moves a reviewer to another merchant", { sub: "chen", tenant: "south" }],
    ["names somebody the merchant does not know", { sub: "mallory", tenant: "qinghe", role: "customer" }],
    ["names no role", { role: undefined }],
    ["names an invented role", { role: "admin" }],
  ];
  it.each(wrong)("that %s is refused", async (_why, claims, signing) => {
    await expect(read(`Bearer ${await issuer.token(claims, signing)}`)).rejects.toMatchObject({
      code: "token_invalid",
    });
  });

  it.each([null, "", "Bearer", "Bearer ", "Basic YWxpY2U6eA==", "Bearer a.b.c", "Bearer alice"])(
    "cannot be %j",
    async (header) => {
      await expect(read(header)).rejects.toMatchObject({ code: "token_invalid" });
    },
  );

  it("signed by another key of the same name, by no key, or with a shared secret is refused", async () => {
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: "chen", tenant: "qinghe", role: "reviewer" };
    const other = await (await createIssuer()).token({ sub: "chen" });
    const unsigned = new UnsecuredJWT(claims).setExpirationTime("10m").encode();
    const shared = await new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", kid: "test" })
      .setExpirationTime("10m")
      .sign(new TextEncoder().encode("a secret that is long enough to be one"));
    for (const token of [other, unsigned, shared]) {
      await expect(read(`Bearer ${token}`)).rejects.toMatchObject({ code: "token_invalid" });
    }
  });

  it("stops counting as soon as its key is taken out of the file", async () => {
    const token = await issuer.token({ sub: "alice" });
    const own = join(folder, "rotated.json");
    issuer.writeKeys(own);
    const reader = createTokenReader({ settings: { ...settings, keysFile: own }, dataDir, nowMs: () => Date.now() });
    expect(await reader(`Bearer ${token}`)).toMatchObject({ user: "alice" });
    (await createIssuer()).writeKeys(own);
    await expect(reader(`Bearer ${token}`)).rejects.toMatchObject({ code: "token_invalid" });
    writeFileSync(own, "{}");
    await expect(reader(`Bearer ${token}`)).rejects.toMatchObject({ code: "auth_not_configured" });
  });
});

describe("npm run studio:token", () => {
  const program = join(ROOT, "scripts", "studio-token.mjs");
  const env = { AFTERSALES_STATE_DIR: join(folder, "state") };

  it("prints a token that the server takes, always under the same key", async () => {
    const first = await runProcess(process.execPath, [program, "chen"], { env, cwd: folder });
    const second = await runProcess(process.execPath, [program, "alice", "--minutes", "5"], { env, cwd: folder });
    const made = { ...settings, keysFile: join(folder, "state", "auth", "jwks.json") };
    const reader = createTokenReader({ settings: made, dataDir, nowMs: () => Date.now() });
    expect(await reader(`Bearer ${first.stdout.trim()}`)).toMatchObject({ user: "chen", role: "reviewer" });
    expect(await reader(`Bearer ${second.stdout.trim()}`)).toMatchObject({ user: "alice" });
  });

  it.each([[["nobody"]], [[]], [["alice", "--minutes", "0"]]])("refuses %j and says whom it knows", async (args) => {
    const run = await runProcess(process.execPath, [program, ...args], { env, cwd: folder });
    expect([run.code, run.stdout]).toEqual([2, ""]);
    expect(run.stderr).toContain("Name one of alice, bob, chen");
    expect(run.stderr).not.toContain("    at ");
  });
});
