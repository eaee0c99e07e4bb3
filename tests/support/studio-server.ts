/** Runs `npm run studio`'s program in a private folder with a private state directory, and ends it with everything it started. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, type Run, type Workspace, workspaceAt } from "./workspace.js";

/** The server writes its threads into the folder it runs in, so it gets one of its own that only links to the product. */
export type StudioPlace = { folder: string; threadsDir: string; workspace: Workspace; remove(): void };

export type StudioServer = {
  url: string;
  port: number;
  /** What it has said so far. */
  said(): string;
  /** As Ctrl-C does; resolves when no process of it is left. */
  stop(): Promise<void>;
  /** As a power cut does: nothing is written any more. */
  kill(): Promise<void>;
};

const PROGRAM = join(ROOT, "scripts", "studio.mjs");
const LINKED = ["src", "node_modules", "package.json", "langgraph.json", "langgraph.auth.json", "data", "dist"];

export function studioPlace(): StudioPlace {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-studio-"));
  for (const name of LINKED) if (existsSync(join(ROOT, name))) symlinkSync(join(ROOT, name), join(folder, name));
  cpSync(join(ROOT, ".gitignore"), join(folder, ".gitignore"));
  return {
    folder,
    threadsDir: join(folder, ".langgraph_api"),
    workspace: workspaceAt(join(folder, "state")),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, "127.0.0.1", done));
  const address = probe.address();
  await new Promise((done) => probe.close(done));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

function spawnStudio(place: StudioPlace, args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: place.folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH ?? "",
      HOME: place.folder,
      AFTERSALES_MODEL: "rehearsal",
      AFTERSALES_STATE_DIR: place.workspace.stateDir,
      ...env,
    },
  });
  const written = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (written.stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (written.stderr += chunk.toString("utf8")));
  return { child, written, ended: once(child, "close") };
}

/** Runs the program to its own end, for starts that are refused. */
export async function runStudio(place: StudioPlace, args: readonly string[]): Promise<Run> {
  const { child, written, ended } = spawnStudio(place, args, {});
  await ended;
  return { code: child.exitCode ?? -1, ...written };
}

export async function startStudio(
  place: StudioPlace,
  { env = {}, flags = [] }: { env?: Record<string, string>; flags?: readonly string[] } = {},
): Promise<StudioServer> {
  const port = await freePort();
  const { child, written, ended } = spawnStudio(place, ["--port", String(port), ...flags], env);
  const said = (): string => `${written.stdout}\n${written.stderr}`;
  const ready = new Promise<boolean>((done) => {
    child.stderr.on("data", () => {
      if (written.stderr.includes("Ready: ")) done(true);
    });
    child.on("close", () => done(false));
  });
  if (!(await ready)) throw new Error(`the development server did not start:\n${said()}`);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    said,
    async stop() {
      child.kill("SIGINT");
      await ended;
    },
    async kill() {
      for (const pid of childrenOf(child.pid ?? 0)) process.kill(-pid, "SIGKILL");
      await ended;
    },
  };
}

function childrenOf(parent: number): number[] {
  return processes()
    .filter(({ ppid }) => ppid === parent)
    .map(({ pid }) => pid);
}

/** The processes that work in a folder's name: their command line names its port. */
export function processesOf(server: StudioServer): string[] {
  return processes()
    .map(({ command }) => command)
    .filter((command) => command.includes(String(server.port)) && command.includes("langgraph"));
}

function processes(): { pid: number; ppid: number; command: string }[] {
  return execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .flatMap((match) =>
      match === null ? [] : [{ pid: Number(match[1]), ppid: Number(match[2]), command: match[3] ?? "" }],
    );
}
