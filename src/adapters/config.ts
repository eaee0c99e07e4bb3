/** Owns the environment: read once here, into one object. The model's key exists nowhere else. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { AftersalesError } from "../domain/errors.js";
import type { ProcessCommand } from "./commerce-bridge.js";
import { withEnvFile } from "./env-file.js";
import { type LiveModelConfig, readModelSettings } from "./model-settings.js";

/** Whose bearer tokens count: the file with the public keys, and the two names a token must carry. */
export type TokenSettings = { keysFile: string; issuer: string; audience: string };

export type HostConfig = {
  /** `rehearsal` only when AFTERSALES_MODEL says so. */
  modelKind: "live" | "rehearsal";
  live: LiveModelConfig;
  /** Whether prompts and answers may also go to LangSmith, because AFTERSALES_TRACING says so. */
  isTraced: boolean;
  dataDir: string;
  commerce: ProcessCommand;
  /** How this program starts its own commands, for the demonstration. */
  cli: ProcessCommand;
  /** A line to the commerce process that breaks once, for the demonstration. */
  lossyLine: ProcessCommand;
  studio: { customer: string; reviewer: string | null; stateDir: string; tokens: TokenSettings };
};

const TRACING = ["LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2"];

type Environment = Record<string, string | undefined>;

/**
 * Reads the environment and `.env`. Without the operator's own AFTERSALES_TRACING=1 it deletes the tracing variables: any one of them would
 * send customer text to a third party. LANGCHAIN_VERBOSE goes as well, which prints prompts on stdout. `mayTrace`: only the command line
 * may, which says so before any text is sent.
 */
export function readConfig(given?: Environment, { mayTrace = false }: { mayTrace?: boolean } = {}): HostConfig {
  const environment = given ?? process.env;
  const optedIn = mayTrace && environment.AFTERSALES_TRACING === "1";
  for (const name of [...(optedIn ? [] : TRACING), "LANGCHAIN_VERBOSE"]) delete environment[name];
  const env = given === undefined || given.AFTERSALES_ENV_FILE !== undefined ? withEnvFile(environment) : given;
  const rehearsal = env.AFTERSALES_MODEL?.trim() === "rehearsal";
  const root = packageRoot();
  const stateDir = env.AFTERSALES_STATE_DIR ?? join(root, ".state");
  return {
    modelKind: rehearsal ? "rehearsal" : "live",
    live: readModelSettings(rehearsal ? withoutModelNames(env) : env),
    isTraced: optedIn && TRACING.some((name) => env[name] !== undefined),
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

/** Who asks for the rehearsal model gets no other under its name. */
function withoutModelNames(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.endsWith("_MODEL")));
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
