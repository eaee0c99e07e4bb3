/** Owns the grant keys on disk. Reading them takes no signature library: most commands only pass the public half on. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AftersalesError } from "../domain/errors.js";

const PublicJwk = z.strictObject({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), x: z.string() });
export const PrivateJwk = PublicJwk.extend({ d: z.string() });

export const privatePath = (keysDir: string): string => join(keysDir, "grant-private.jwk");

export function readPrivateKey(keysDir: string): z.infer<typeof PrivateJwk> {
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
