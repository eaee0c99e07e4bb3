/** Owns what is done to a state directory as a whole: making it, and reading what a record can be checked against. */
import { existsSync } from "node:fs";
import { createCommerceDatabase } from "../adapters/commerce-line.js";
import type { HostConfig } from "../adapters/config.js";
import { createRefundTerms } from "../adapters/data-directory.js";
import { publicKeyText } from "../adapters/grant-keys.js";
import { openGrant } from "../adapters/grant-reader.js";
import { createGrantKeys } from "../adapters/grant-signer.js";
import { loadPolicyDocuments } from "../adapters/policy-documents.js";
import { loadProcedures } from "../adapters/procedures.js";
import { createStateFolders, statePaths } from "../adapters/state-directory.js";
import { openStores } from "../adapters/stores.js";
import type { Clock } from "../domain/clock.js";
import { AftersalesError } from "../domain/errors.js";
import type { Verifiers } from "../domain/record-verification.js";
import { once } from "./once.js";

/** Makes what is missing: folders, keys, databases, the seeded commerce records. Replaces nothing that is there. */
export async function initialise(options: {
  config: HostConfig;
  stateDir: string;
  dataDir: string;
  clocks: { runtime: Clock };
}): Promise<void> {
  const paths = statePaths(options.stateDir);
  createRefundTerms(options.dataDir, loadPolicyDocuments(options.dataDir));
  loadProcedures(options.dataDir);
  createStateFolders(paths);
  await createGrantKeys(paths.keysDir);
  const stores = await openStores({ paths, clock: options.clocks.runtime, create: true });
  try {
    await stores.checkpoints();
  } finally {
    await stores.close();
  }
  await createCommerceDatabase({ process: options.config.commerce, paths, dataDir: options.dataDir });
}

/** What starting the commerce service takes of a state directory: its database, and the key that grants are checked with. Throws `state_missing`. */
export function commerceAccess(stateDir: string): { database: string; publicKey: string } {
  const { commerceDb, keysDir, root } = statePaths(stateDir);
  if (!existsSync(commerceDb)) throw new AftersalesError("state_missing", { dir: root });
  return { database: commerceDb, publicKey: publicKeyText(keysDir) };
}

/** What checking a record takes from this machine: the public key of a state directory, if there is one, and the documents. */
export function recordVerifiers(stateDir: string, dataDir: string): Verifiers {
  const { keysDir } = statePaths(stateDir);
  const hashes = once(
    () =>
      new Map(
        loadPolicyDocuments(dataDir).flatMap(({ pages }) =>
          pages.flatMap(({ passages }) => passages.map(({ id, textHash }): [string, string] => [id, textHash])),
        ),
      ),
  );
  return {
    openGrant: async (grant) => (existsSync(keysDir) ? openGrant(grant, keysDir) : undefined),
    passageHash: (id) => hashes().get(id) ?? null,
  };
}
