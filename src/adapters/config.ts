/** Owns the environment: read once here, into one object. The model's key exists nowhere else. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { AftersalesError } from "../domain/errors.js";
import type { ProcessCommand } from "./commerce-bridge.js";

export type LiveModelSettings = { apiKey: string; model: string; baseUrl: string };

/** Whose bearer tokens count: the file with the public keys, and the two names a token must carry. */
export type TokenSettings = { keysFile: string; issuer: string; audience: string };

export type HostConfig = {
  /** `rehearsal` only when AFTERSALES_MODEL says so. */
  modelKind: "live" | "rehearsal";
  live: { ok: true; settings: LiveModelSettings } | { ok: false; missing: string };
  dataDir: string;
  commerce: ProcessCommand;
  /** How this program starts its own commands, for the demonstration. */
  cli: ProcessCommand;
  /** A line to the commerce process that breaks once, for the demonstration. */
  lossyLine: ProcessCommand;
  studio: { customer: string; reviewer: string | null; stateDir: string; tokens: TokenSettings };
};

const TRACING = ["LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2"];
const DEEPSEEK_URL = "https://api.deepseek.com";

type Environment = Record<string, string | undefined>;

/**
 * Reads the environment. Precedence per value: AFTERSALES_*, then DEEPSEEK_*, then OPENAI_*. Deletes the four tracing variables:
 * any one of them would send customer text to a third party.
 */
export function readConfig(env: Environment = process.env): HostConfig {
  for (const name of TRACING) delete env[name];
  const rehearsal = env.AFTERSALES_MODEL === "rehearsal";
  const root = packageRoot();
  const stateDir = env.AFTERSALES_STATE_DIR ?? join(root, ".state");
  return {
    modelKind: rehearsal ? "rehearsal" : "live",
    live: rehearsal ? { ok: false, missing: "AFTERSALES_MODEL" } : readLiveSettings(env),
    dataDir: join(root, "data"),
    commerce: readCommerceCommand(env, root),
    cli: { command: process.execPath, args: [join(root, "dist", "cli.mjs")] },
    lossyLine: { command: process.execPath, args: [join(root, "dist", "lossy-line.mjs")] },
    studio: {
      tokens: {
        keysFile: env.AFTERSALES_AUTH_KEYS || join(stateDir, "auth", "jwks.json"),
        issuer: env.AFTERSALES_AUTH_ISSUER || "qinghe-demo",
        audience: env.AFTERSALES_AUTH_AUDIENCE || "qinghe-aftersales",
      },
      customer: env.AFTERSALES_STUDIO_CUSTOMER || "alice",
      reviewer: env.AFTERSALES_STUDIO_REVIEWER || null,
      stateDir,
    },
  };
}

function readLiveSettings(env: Environment): HostConfig["live"] {
  const apiKey = env.AFTERSALES_API_KEY ?? env.DEEPSEEK_API_KEY ?? env.OPENAI_API_KEY;
  const model = env.AFTERSALES_MODEL ?? env.DEEPSEEK_MODEL ?? env.OPENAI_MODEL;
  const baseUrl = env.AFTERSALES_BASE_URL ?? env.DEEPSEEK_BASE_URL ?? env.OPENAI_BASE_URL ?? DEEPSEEK_URL;
  if (apiKey === undefined || apiKey === "") return { ok: false, missing: "AFTERSALES_API_KEY" };
  if (model === undefined || model === "") return { ok: false, missing: "AFTERSALES_MODEL" };
  return { ok: true, settings: { apiKey, model, baseUrl } };
}

/** This environment for a command that is to reach the commerce process through another program. */
export function environmentWithCommerce(
  { command, args }: ProcessCommand,
  env: Environment = process.env,
): Environment {
  return { ...env, AFTERSALES_COMMERCE_COMMAND: JSON.stringify([command, ...args]) };
}

/** AFTERSALES_COMMERCE_COMMAND puts another program (a JSON list: command, then arguments) in front of the shipped commerce process. */
function readCommerceCommand(env: Environment, root: string): ProcessCommand {
  const shipped = { command: process.execPath, args: [join(root, "dist", "commerce.mjs")] };
  if (env.AFTERSALES_COMMERCE_COMMAND === undefined) return shipped;
  let value: unknown;
  try {
    value = JSON.parse(env.AFTERSALES_COMMERCE_COMMAND);
  } catch {
    value = null;
  }
  const parsed = z.tuple([z.string().min(1)], z.string()).safeParse(value);
  if (!parsed.success) {
    throw new AftersalesError("usage", { detail: "AFTERSALES_COMMERCE_COMMAND must be a JSON list of strings" });
  }
  const [command, ...args] = parsed.data;
  return { command, args };
}

/** The folder of this package, from the sources as well as from a bundle. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const file = join(folder, "package.json");
    if (existsSync(file) && readFileSync(file, "utf8").includes('"name": "qinghe-aftersales"')) return folder;
    if (folder === parse(folder).root) throw new AftersalesError("internal_error");
    folder = dirname(folder);
  }
}

/** The version in package.json. */
export function packageVersion(): string {
  const text = readFileSync(join(packageRoot(), "package.json"), "utf8");
  return z.looseObject({ version: z.string() }).parse(JSON.parse(text)).version;
}
