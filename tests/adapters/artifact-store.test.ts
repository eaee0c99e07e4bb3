import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createArtifactStore } from "../../src/adapters/artifact-store.js";
import type { Stores } from "../../src/adapters/stores.js";
import { textHash } from "../../src/domain/canonical.js";
import { CaseId } from "../../src/domain/ids.js";
import { createLedger, openCase } from "../support/ledger.js";
import { CASE_ID, OTHER_CASE_ID } from "../support/ledger-values.js";

async function opened() {
  const ledger = await createLedger();
  const stores = await ledger.open();
  await openCase(stores);
  return { dir: ledger.paths.artifactsDir, stores };
}
const change = (stores: Stores): Promise<void> =>
  stores.leases.hold(CASE_ID, () => stores.cases.update(CASE_ID, { status: "needs_input", phase: "done" }));

test("the file is named by the case and what is in it, and only its owner can read it", async () => {
  const { dir, stores } = await opened();
  const name = await stores.artifacts.write(CASE_ID);
  const path = join(dir, name);
  expect(name).toBe(`${CASE_ID}-${textHash(readFileSync(path, "utf8")).slice(0, 16)}.md`);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
});

test("the same content is the same file; another outcome is another file beside it", async () => {
  const { dir, stores } = await opened();
  const first = await stores.artifacts.write(CASE_ID);
  expect(await stores.artifacts.write(CASE_ID)).toBe(first);
  expect(readdirSync(dir)).toEqual([first]);
  await change(stores);
  const second = await stores.artifacts.write(CASE_ID);
  expect(readdirSync(dir).sort()).toEqual([first, second].sort());
});

test("a removed folder is made again with its mode", async () => {
  const { dir, stores } = await opened();
  rmSync(dir, { recursive: true });
  await stores.artifacts.write(CASE_ID);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
});

test("another file in the place of the record is neither replaced nor believed", async () => {
  const { dir, stores } = await opened();
  const name = await stores.artifacts.write(CASE_ID);
  writeFileSync(join(dir, name), "forged");
  await expect(stores.artifacts.write(CASE_ID)).rejects.toMatchObject({ code: "artifact_conflict" });
  expect(readFileSync(join(dir, name), "utf8")).toBe("forged");
});

test.each(["an existing", "a missing"])("a link in the place of the record, to %s file, is refused", async (kind) => {
  const { dir, stores } = await opened();
  const name = await stores.artifacts.write(CASE_ID);
  const target = join(dir, "..", "target.md");
  const text = readFileSync(join(dir, name), "utf8");
  if (kind === "an existing") writeFileSync(target, text);
  rmSync(join(dir, name));
  symlinkSync(target, join(dir, name));
  await expect(stores.artifacts.write(CASE_ID)).rejects.toMatchObject({ code: "artifact_conflict" });
  expect(existsSync(target)).toBe(kind === "an existing");
});

test("a folder that is a link is refused, and nothing is written through it", async () => {
  const { dir, stores } = await opened();
  const elsewhere = join(dir, "..", "elsewhere");
  rmSync(dir, { recursive: true });
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, dir);
  await expect(stores.artifacts.write(CASE_ID)).rejects.toMatchObject({ code: "artifact_conflict" });
  expect(readdirSync(elsewhere)).toEqual([]);
});

test("no case, no file: a name can only come from a case that exists", async () => {
  const { dir, stores } = await opened();
  await expect(stores.artifacts.write(OTHER_CASE_ID)).rejects.toMatchObject({ code: "case_not_accessible" });
  expect(readdirSync(dir)).toEqual([]);
  for (const name of ["../x", "a/b", "..", `${CASE_ID}/../x`]) expect(CaseId.safeParse(name).success).toBe(false);
});

test("a folder that cannot be made is an error, not half a file", async () => {
  const { dir, stores } = await opened();
  const artifactsDir = join(dir, "file", "below");
  writeFileSync(join(dir, "file"), "");
  await expect(createArtifactStore({ db: stores.db, artifactsDir }).write(CASE_ID)).rejects.toThrow("ENOTDIR");
});
