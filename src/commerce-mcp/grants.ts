/** Owns verifying a grant. Nothing in a grant is believed before its signature; nothing is signed that this process would write differently. */
import { compactVerify, errors, importJWK } from "jose";
import { z } from "zod";
import { AftersalesError } from "../domain/errors.js";
import { GRANT_ALGORITHM, GRANT_TYPE, Grant, grantText } from "../domain/grant.js";

export type PublicKey = Awaited<ReturnType<typeof importPublicKey>>;

/** Strict, so that a private key passed by mistake (`d`) is refused instead of used. */
const PublicJwk = z.strictObject({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  kid: z.string().optional(),
  alg: z.enum(["EdDSA", "Ed25519"]).optional(),
  use: z.literal("sig").optional(),
});

const ProtectedHeader = z.strictObject({
  alg: z.literal(GRANT_ALGORITHM),
  typ: z.literal(GRANT_TYPE),
  kid: z.string().optional(),
});

/** Reads `--public-key`: base64url of an Ed25519 JWK without its private part. Throws `usage`. */
export async function importPublicKey(encoded: string) {
  try {
    const jwk = PublicJwk.parse(JSON.parse(Buffer.from(encoded, "base64url").toString("utf8")));
    return await importJWK({ kty: jwk.kty, crv: jwk.crv, x: jwk.x }, GRANT_ALGORITHM);
  } catch (cause) {
    throw new AftersalesError(
      "usage",
      { detail: "--public-key must be a base64url-encoded public Ed25519 key (JWK)" },
      { cause },
    );
  }
}

/**
 * The grant inside a compact JWS, or null for any defect: wrong key, algorithm or type, a payload that is not a grant, or one whose
 * bytes are not the canonical text of what was read from it (a duplicate key or another spelling could mean something else to the signer).
 */
export async function verifyGrant(publicKey: PublicKey, jws: string): Promise<Grant | null> {
  const payload = await signedPayload(publicKey, jws);
  if (payload === null) return null;
  const text = Buffer.from(payload).toString("utf8");
  const grant = Grant.safeParse(jsonOrNull(text));
  if (!grant.success) return null;
  return Buffer.from(grantText(grant.data), "utf8").equals(payload) ? grant.data : null;
}

async function signedPayload(publicKey: PublicKey, jws: string): Promise<Uint8Array | null> {
  try {
    const { payload, protectedHeader } = await compactVerify(jws, publicKey, { algorithms: [GRANT_ALGORITHM] });
    return ProtectedHeader.safeParse(protectedHeader).success ? payload : null;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
