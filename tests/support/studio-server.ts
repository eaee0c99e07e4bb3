/** Runs the LangGraph development server on a private folder and state directory, and stops it with all its children. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ROOT } from "./workspace.js";

export type StudioServer = { url: string; stateDir: string; stop(): Promise<void> };

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, "127.0.0.1", done));
  const address = probe.address();
  await new Promise((done) => probe.close(done));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** The server writes into the folder it runs in, so it runs in one of its own that only links to the product. */
export async function startStudio(env: Record<string, string> = {}): Promise<StudioServer> {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-studio-"));
  for (const name of ["src", "node_modules", "package.json", "langgraph.json", "data", "dist"]) {
    symlinkSync(join(ROOT, name), join(folder, name));
  }
  const stateDir = join(folder, "state");
  const port = await freePort();
  const child = spawn(
    process.execPath,
    [
      join(ROOT, "node_modules", ".bin", "langgraphjs"),
      "dev",
      "--no-browser",
      "--no-reload",
      "--host",
      "127.0.0.1",
      "--port",
      String(port),
    ],
    {
      cwd: folder,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH ?? "",
        HOME: folder,
        AFTERSALES_MODEL: "rehearsal",
        AFTERSALES_STATE_DIR: stateDir,
        LANGGRAPH_CLI_NO_ANALYTICS: "1",
        ...env,
      },
    },
  );
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (log += chunk.toString("utf8")));
  const ended = new Promise<void>((done) => child.on("close", () => done()));
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGINT");
    await Promise.race([ended, wait(5_000)]);
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, "SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const ok = await fetch(`${url}/ok`).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return { url, stateDir, stop };
    if (child.exitCode !== null) break;
    await wait(250);
  }
  await stop();
  throw new Error(`the development server did not start:\n${log}`);
}
