/** Owns the grant: a reviewer's approval of one exact proposal, as the commerce process will verify it. */
import { z } from "zod";
import { canonicalJson } from "./canonical.js";
import { Instant, type Sha256Hex, UserId } from "./ids.js";
import { Proposal, proposalDigest } from "./proposal.js";

export const GRANT_TYPE = "qinghe-grant+jws";
export const GRANT_ALGORITHM = "EdDSA";

export const Grant = z.strictObject({
  v: z.literal(1),
  decision: z.literal("approve"),
  reviewer: UserId,
  decidedAt: Instant,
  proposal: Proposal,
});
export type Grant = z.infer<typeof Grant>;

/** The exact bytes that are signed. */
export function grantText(grant: Grant): string {
  return canonicalJson(Grant.parse(grant));
}

/**
 * What the bearer of a grant claims was approved, read without checking the signature. Only for finding a receipt that already
 * exists: keys may have been rotated since, and a replay reveals nothing but a receipt the caller could already name.
 */
export function claimedDigest(jws: string): Sha256Hex | null {
  const body = jws.split(".")[1];
  if (body === undefined) return null;
  try {
    const parsed = Grant.safeParse(JSON.parse(Buffer.from(body, "base64url").toString("utf8")));
    return parsed.success ? proposalDigest(parsed.data.proposal) : null;
  } catch {
    return null;
  }
}
