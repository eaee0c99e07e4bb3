/** Owns telling from a bearer token who somebody is: a JWT signed by the issuer whose public keys lie in a local file. */
import { readFileSync } from "node:fs";
import { createLocalJWKSet, type JSONWebKeySet, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import { AftersalesError } from "../domain/errors.js";
import { type Identity, Role, sameIdentity } from "../domain/identity.js";
import { TenantId, UserId } from "../domain/ids.js";
import type { TokenSettings } from "./config.js";
import { readProfile } from "./data-directory.js";

/** No shared secrets: a key that can check a token must not be able to make one. */
const ALGORITHMS = ["EdDSA", "ES256", "RS256"];
const CLOCK_TOLERANCE_S = 5;

const KeySet = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) });
const Claims = z.looseObject({ sub: UserId, tenant: TenantId, role: Role });

export type ReadToken = (authorization: string | null) => Promise<Identity>;

/**
 * `authorization` is the header's value. Throws `token_invalid`, and `auth_not_configured` when the key file cannot be used. The file is read
 * every time, so that a key taken out of it stops counting at once. The claims must agree with the merchant's profiles: a token says who
 * somebody is and cannot give a role that the merchant did not.
 */
export function createTokenReader(given: { settings: TokenSettings; dataDir: string; nowMs: () => number }): ReadToken {
  const { settings, dataDir, nowMs } = given;
  return async (authorization) => {
    const token = /^Bearer ([\w.-]+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) throw new AftersalesError("token_invalid");
    const claims = Claims.safeParse(await verified(token, readKeys(settings.keysFile), settings, nowMs()));
    if (!claims.success) throw new AftersalesError("token_invalid");
    const { sub: user, tenant, role } = claims.data;
    const identity: Identity = { tenant, user, role };
    if (!isKnown(identity, dataDir)) throw new AftersalesError("token_invalid");
    return identity;
  };
}

async function verified(
  token: string,
  keys: JSONWebKeySet,
  { issuer, audience }: TokenSettings,
  nowMs: number,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ["sub", "exp"],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(nowMs),
    });
    return payload;
  } catch (error) {
    throw new AftersalesError("token_invalid", {}, { cause: error });
  }
}

function readKeys(file: string): JSONWebKeySet {
  try {
    return KeySet.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    throw new AftersalesError("auth_not_configured", {}, { cause: error });
  }
}

function isKnown(identity: Identity, dataDir: string): boolean {
  try {
    return sameIdentity(readProfile(dataDir, identity.user), identity);
  } catch (error) {
    if (error instanceof AftersalesError && error.code === "unknown_profile") return false;
    throw error;
  }
}
