/**
 * A stand-in for the issuer that a real installation has: prints a bearer token for one of the merchant's profiles, signed with a key pair
 * of its own that it makes in the state directory. Usage: npm run --silent studio:token -- PROFILE [--minutes 60]
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { exportJWK, generateKeyPair, importJWK, SignJWT } from "jose";

const ALGORITHM = "EdDSA";
const ROOT = resolve(import.meta.dirname, "..");

if (existsSync(".env")) process.loadEnvFile(".env");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { minutes: { type: "string", default: "60" } },
});
const minutes = Number(values.minutes);
const { profiles } = JSON.parse(readFileSync(join(ROOT, "data", "profiles.json"), "utf8"));
const profile = profiles.find(({ user }) => user === positionals[0]);
if (profile === undefined || !(minutes > 0 && minutes <= 1_440)) {
  const known = profiles.map(({ user }) => user).join(", ");
  process.stderr.write(
    `Name one of ${known}, and --minutes from 1 to 1440: npm run --silent studio:token -- alice (usage)\n`,
  );
  process.exitCode = 2;
} else process.stdout.write(`${await sign(profile)}\n`);

async function sign({ user, tenant, role }) {
  const key = await importJWK(await signingKey(), ALGORITHM);
  return new SignJWT({ tenant, role })
    .setProtectedHeader({ alg: ALGORITHM, kid: "demo" })
    .setSubject(user)
    .setIssuer(process.env.AFTERSALES_AUTH_ISSUER || "qinghe-demo")
    .setAudience(process.env.AFTERSALES_AUTH_AUDIENCE || "qinghe-aftersales")
    .setIssuedAt()
    .setExpirationTime(`${minutes}m`)
    .sign(key);
}

/** Made once and never replaced. The server reads the public half alone. */
async function signingKey() {
  const folder = join(resolve(process.env.AFTERSALES_STATE_DIR ?? join(ROOT, ".state")), "auth");
  const file = join(folder, "issuer-private.jwk");
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { privateKey } = await generateKeyPair(ALGORITHM, { crv: "Ed25519", extractable: true });
    const { kty, crv, x, d } = await exportJWK(privateKey);
    const shared = { kty, crv, x, kid: "demo", alg: ALGORITHM };
    writeFileSync(join(folder, "jwks.json"), JSON.stringify({ keys: [shared] }), { mode: 0o600 });
    writeFileSync(file, JSON.stringify({ ...shared, d }), { mode: 0o600, flag: "wx" });
  }
  return JSON.parse(readFileSync(file, "utf8"));
}
