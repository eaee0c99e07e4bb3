/** Owns the host's signing key and the signature under an approval. The commerce process only ever gets the public half. */
import { existsSync } from "node:fs";
import { CompactSign, exportJWK, generateKeyPair, importJWK } from "jose";
import writeFileAtomic from "write-file-atomic";
import { GRANT_ALGORITHM, GRANT_TYPE, type Grant, grantText } from "../domain/grant.js";
import { PrivateJwk, privatePath, readPrivateKey } from "./grant-keys.js";

export type GrantSigner = { sign(grant: Grant): Promise<string> };

/** Makes the key pair if there is none; never replaces one, since receipts and pending grants depend on it. */
export async function createGrantKeys(keysDir: string): Promise<void> {
  if (existsSync(privatePath(keysDir))) return;
  const { privateKey } = await generateKeyPair(GRANT_ALGORITHM, { crv: "Ed25519", extractable: true });
  const { kty, crv, x, d } = await exportJWK(privateKey);
  writeFileAtomic.sync(privatePath(keysDir), JSON.stringify(PrivateJwk.parse({ kty, crv, x, d })), { mode: 0o600 });
}

export function createGrantSigner(keysDir: string): GrantSigner {
  return {
    async sign(grant) {
      const key = await importJWK(readPrivateKey(keysDir), GRANT_ALGORITHM);
      return new CompactSign(new TextEncoder().encode(grantText(grant)))
        .setProtectedHeader({ alg: GRANT_ALGORITHM, typ: GRANT_TYPE })
        .sign(key);
    },
  };
}
