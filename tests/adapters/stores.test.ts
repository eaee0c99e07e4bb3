import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { publicKeyText } from "../../src/adapters/grant-keys.js";
import { createGrantKeys, createGrantSigner } from "../../src/adapters/grant-signer.js";
import { openStores } from "../../src/adapters/stores.js";
import { Grant } from "../../src/domain/grant.js";
import { createLedger, openCase } from "../support/ledger.js";
import { alice, bob, CASE_ID, OTHER_CASE_ID, proposal } from "../support/ledger-values.js";

test("every file of the state is its owner's alone", async () => {
  const { paths, open } = await createLedger();
  const stores = await open();
  stores.checkpoints();
  await openCase(stores);
  for (const folder of [paths.keysDir, paths.artifactsDir, join(paths.root, "host"), join(paths.root, "commerce")]) {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  }
  const files = [paths.applicationDb, paths.checkpointsDb, join(paths.keysDir, "grant-private.jwk")];
  for (const file of [...files, `${paths.applicationDb}-wal`, `${paths.checkpointsDb}-wal`].filter(existsSync)) {
    expect(statSync(file).mode & 0o777, file).toBe(0o600);
  }
});

test("without init there is no state, and looking for it makes none", async () => {
  const { paths, clock } = await createLedger();
  await expect(openStores({ paths, clock, create: false })).rejects.toMatchObject({ code: "state_missing" });
  expect(existsSync(paths.applicationDb)).toBe(false);
});

test("keys are made once and never replaced", async () => {
  const { paths } = await createLedger();
  const before = publicKeyText(paths.keysDir);
  await createGrantKeys(paths.keysDir);
  expect(publicKeyText(paths.keysDir)).toBe(before);
  expect(JSON.parse(Buffer.from(before, "base64url").toString())).toEqual({
    kty: "OKP",
    crv: "Ed25519",
    x: expect.any(String),
  });
  expect(readFileSync(join(paths.keysDir, "grant-private.jwk"), "utf8")).not.toContain(before);
});

test("without its key nothing is signed", async () => {
  const { paths } = await createLedger();
  rmSync(join(paths.keysDir, "grant-private.jwk"));
  const made = proposal();
  const grant = Grant.parse({ v: 1, decision: "approve", reviewer: "chen", decidedAt: made.createdAt, proposal: made });
  await expect(createGrantSigner(paths.keysDir).sign(grant)).rejects.toMatchObject({ code: "state_missing" });
});

test("a case keeps three notes of its own; the same note again takes no room", async () => {
  const stores = await (await createLedger()).open();
  await openCase(stores);
  await openCase(stores, OTHER_CASE_ID);
  const add = (note: string): Promise<boolean> => stores.leases.hold(CASE_ID, () => stores.notes.add(CASE_ID, note));
  expect([await add("a"), await add("a"), await add("b"), await add("c"), await add("d"), await add("a")]).toEqual([
    true,
    true,
    true,
    true,
    false,
    true,
  ]);
  expect(await stores.notes.list(CASE_ID)).toEqual(["a", "b", "c"]);
  expect(await stores.notes.list(OTHER_CASE_ID)).toEqual([]);
});

test("a preference belongs to one customer of one merchant", async () => {
  const stores = await (await createLedger()).open();
  await stores.preferences.save(alice, "zh");
  await stores.preferences.save(alice, "en");
  expect(await stores.preferences.language(alice)).toBe("en");
  expect(await stores.preferences.language(bob)).toBeNull();
});
