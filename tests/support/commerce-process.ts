/** The real commerce process: built from the sources once, started as a child over stdio. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { build } from "esbuild";
import { type CommerceConnection, callTool } from "./commerce-client.js";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCES = ["src/commerce-mcp", "src/domain", "src/sqlite"];

/**
 * Bundles the process and returns the file. The file is named after the sources' content and renamed into place, so that test files
 * running in parallel neither wait for each other nor meet half a bundle, and a product build meanwhile takes nothing away.
 */
export async function buildCommerce(): Promise<string> {
  const hash = createHash("sha256").update(readFileSync(join(ROOT, "package-lock.json")));
  for (const file of SOURCES.flatMap((dir) => sourceFiles(join(ROOT, dir))))
    hash.update(file).update(readFileSync(file));
  const target = join(ROOT, "node_modules/.cache/commerce-test", hash.digest("hex").slice(0, 16), "commerce.mjs");
  if (existsSync(target)) return target;
  mkdirSync(dirname(target), { recursive: true });
  const draft = `${target}.${process.pid}`;
  await build({
    entryPoints: [join(ROOT, "src/commerce-mcp/main.ts")],
    outfile: draft,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    external: ["better-sqlite3"],
    logLevel: "error",
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
  });
  renameSync(draft, target);
  return target;
}

export type CommerceArguments = {
  database: string;
  data: string;
  publicKey: string;
  profile: string;
  readOnly?: boolean;
};

export function commerceArguments({ database, data, publicKey, profile, readOnly }: CommerceArguments): string[] {
  const named = ["--database", database, "--data", data, "--public-key", publicKey, "--profile", profile];
  return readOnly === true ? named : [...named, "--allow-writes"];
}

export type CommerceProcess = CommerceConnection & {
  pid: number;
  /** The last 4,000 characters of what it wrote to stderr. */
  stderrTail: () => string;
  /** Resolves when the process is gone, for whatever reason. */
  gone: Promise<void>;
};

/** Starts the process and connects to it. Rejects with what it said on stderr when it does not come up. */
export async function startCommerce(
  options: CommerceArguments & { nodeArguments?: string[] },
): Promise<CommerceProcess> {
  const args = [...(options.nodeArguments ?? []), await buildCommerce(), ...commerceArguments(options)];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "pipe" });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString("utf8")).slice(-4_000);
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  const gone = new Promise<void>((done) => {
    client.onclose = done;
  });
  try {
    await client.connect(transport);
  } catch (cause) {
    throw new Error(`the commerce process did not start: ${stderr}`, { cause });
  }
  return {
    client,
    pid: transport.pid ?? -1,
    stderrTail: () => stderr,
    gone,
    call: (name, args) => callTool(client, name, args),
    close: () => client.close(),
  };
}

/** The bare child without any environment, for tests about its streams and its end. */
export async function spawnCommerce(
  args: string[],
  nodeArguments: string[] = [],
): Promise<ChildProcessWithoutNullStreams> {
  return spawn(process.execPath, [...nodeArguments, await buildCommerce(), ...args], { stdio: "pipe", env: {} });
}

/** Runs it to its end with nothing on stdin. */
export async function runCommerce(args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = await spawnCommerce(args);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
  });
  child.stdin.end();
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function sourceFiles(dir: string): string[] {
  const entries = readdirSync(dir, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
