/** Owns reading a signed grant with the public key, for checking records. It grants nothing: paying is the commerce process's business. */
import { compactVerify, importJWK } from "jose";
import { GRANT_ALGORITHM, GRANT_TYPE, Grant, grantText } from "../domain/grant.js";
import { proposalDigest } from "../domain/proposal.js";
import type { OpenedGrant } from "../domain/record-verification.js";
import { publicKeyText } from "./grant-keys.js";

/** The digest, reviewer and time of an approval, or null when it is not signed with this key. */
export async function openGrant(jws: string, keysDir: string): Promise<OpenedGrant | null> {
  const jwk: unknown = JSON.parse(Buffer.from(publicKeyText(keysDir), "base64url").toString("utf8"));
  try {
    const key = await importJWK(Object(jwk), GRANT_ALGORITHM);
    const { payload, protectedHeader } = await compactVerify(jws, key, { algorithms: [GRANT_ALGORITHM] });
    const text = new TextDecoder("utf-8", { fatal: true }).decode(payload);
    const grant = Grant.parse(JSON.parse(text));
    if (protectedHeader.typ !== GRANT_TYPE || grantText(grant) !== text) return null;
    return { digest: proposalDigest(grant.proposal), reviewer: grant.reviewer, decidedAt: grant.decidedAt };
  } catch {
    return null;
  }
}
