/** An issuer of bearer tokens with keys of its own, as a server with sign-in trusts one. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from "jose";

export const ISSUER = "qinghe-demo";
export const AUDIENCE = "qinghe-aftersales";

export type Claims = Record<string, unknown> & { sub?: string };
export type Signing = { header?: Partial<JWTHeaderParameters>; expires?: number | null };

export type Issuer = { token(claims: Claims, signing?: Signing): Promise<string>; writeKeys(file: string): void };

const PEOPLE: Record<string, { tenant: string; role: string }> = {
  alice: { tenant: "qinghe", role: "customer" },
  bob: { tenant: "qinghe", role: "customer" },
  chen: { tenant: "qinghe", role: "reviewer" },
  lin: { tenant: "south", role: "customer" },
  mei: { tenant: "south", role: "reviewer" },
};

export async function createIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const shared = await exportJWK(publicKey);
  return {
    token: ({ sub = "alice", ...claims }, { header = {}, expires = Math.floor(Date.now() / 1_000) + 600 } = {}) => {
      const jwt = new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub, ...PEOPLE[sub], ...claims });
      if (expires !== null) jwt.setExpirationTime(expires);
      return jwt.setProtectedHeader({ alg: "EdDSA", kid: "test", ...header }).sign(privateKey);
    },
    writeKeys(file) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, JSON.stringify({ keys: [{ ...shared, kid: "test", alg: "EdDSA" }] }), { mode: 0o600 });
    },
  };
}
