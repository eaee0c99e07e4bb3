/** Signs grants the way the host does, and also the ways it never would. */
import { CompactSign, exportJWK, generateKeyPair, type JWK } from "jose";
import { toInstant } from "../../src/domain/clock.js";
import { GRANT_ALGORITHM, GRANT_TYPE, Grant, grantText } from "../../src/domain/grant.js";
import type { Proposal } from "../../src/domain/proposal.js";

export type GrantKeys = {
  /** What `--public-key` takes. */
  publicKeyText: string;
  publicJwk: JWK;
  /** Signs any text under any protected header; without one, under that of a good grant. */
  sign: (text: string, header?: { alg: string; typ?: string; cty?: string }) => Promise<string>;
};

export async function createGrantKeys(): Promise<GrantKeys> {
  const { publicKey, privateKey } = await generateKeyPair(GRANT_ALGORITHM, { extractable: true });
  const publicJwk = await exportJWK(publicKey);
  return {
    publicJwk,
    publicKeyText: Buffer.from(JSON.stringify(publicJwk)).toString("base64url"),
    sign: (text, header = { alg: GRANT_ALGORITHM, typ: GRANT_TYPE }) =>
      new CompactSign(Buffer.from(text, "utf8")).setProtectedHeader(header).sign(privateKey),
  };
}

/** What chen would sign for a proposal, one second after it was made. */
export function grantFor(proposal: Proposal, changes: Partial<Grant> = {}): Grant {
  const decidedAt = toInstant(Date.parse(proposal.createdAt) + 1_000);
  return Grant.parse({ v: 1, decision: "approve", reviewer: "chen", decidedAt, proposal, ...changes });
}

/** The compact JWS of a good grant. */
export function signGrant(keys: GrantKeys, proposal: Proposal, changes: Partial<Grant> = {}): Promise<string> {
  return keys.sign(grantText(grantFor(proposal, changes)));
}
