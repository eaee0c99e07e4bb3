/** Owns the host's signing key and the signature under an approval. The commerce process only ever gets the public half. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CompactSign, exportJWK, generateKeyPair, importJWK } from "jose";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";
import { AftersalesError } from "../domain/errors.js";
import { GRANT_ALGORITHM, GRANT_TYPE, type Grant, grantText } from "../domain/grant.js";

const PublicJwk = z.strictObject({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), x: z.string() });
const PrivateJwk = PublicJwk.extend({ d: z.string() });

export type GrantSigner = { sign(grant: Grant): Promise<string> };

const privatePath = (keysDir: string): string => join(keysDir, "grant-private.jwk");

/** Makes the key pair if there is none; never replaces one, since receipts and pending grants depend on it. */
export async function createGrantKeys(keysDir: string): Promise<void> {
  if (existsSync(privatePath(keysDir))) return;
  const { privateKey } = await generateKeyPair(GRANT_ALGORITHM, { crv: "Ed25519", extractable: true });
  const { kty, crv, x, d } = await exportJWK(privateKey);
  writeFileAtomic.sync(privatePath(keysDir), JSON.stringify(PrivateJwk.parse({ kty, crv, x, d })), { mode: 0o600 });
}

function readPrivateKey(keysDir: string): z.infer<typeof PrivateJwk> {
  try {
    return PrivateJwk.parse(JSON.parse(readFileSync(privatePath(keysDir), "utf8")));
  } catch (error) {
    throw new AftersalesError("state_missing", { dir: keysDir }, { cause: error });
  }
}

/** The public key as the commerce process takes it: a JWK in base64url. Throws `state_missing` before `init`. */
export function publicKeyText(keysDir: string): string {
  const { kty, crv, x } = readPrivateKey(keysDir);
  return Buffer.from(JSON.stringify({ kty, crv, x }), "utf8").toString("base64url");
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
