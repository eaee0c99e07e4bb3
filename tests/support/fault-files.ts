/** Points at which files or folders cannot be written. */
import { chmodSync, chownSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { commandOf, type Phase, type Point, paidOnceAtTheEnd, runCommand, wrongWith } from "./fault-points.js";
import { CLI, runProcess } from "./workspace.js";

const NOBODY = 65_534;

const PLACES = {
  "application.db": "host/application.db",
  "checkpoints.db": "host/checkpoints.db",
  "commerce.db": "commerce/commerce.db",
  "the host's folder": "host",
  "the folder of case records": "host/artifacts",
  "the service's folder": "commerce",
  "every file and folder": ".",
} as const;

export function readOnlyPoints(phase: Phase): Point[] {
  return Object.entries(PLACES).map(([name, place]) => ({
    name: `${phase.name}: ${name} cannot be written`,
    phase,
    waits: false,
    play: (stateDir) => playReadOnly(stateDir, place === "." ? below(stateDir) : [join(stateDir, place)]),
  }));
}

async function playReadOnly(stateDir: string, paths: readonly string[]): Promise<string[]> {
  const user = await playingUser();
  if (user === "none") return [];
  if (user !== "myself") for (const path of below(stateDir)) chownSync(path, user.uid, user.gid);
  const command = commandOf(stateDir);
  const modes = paths.map((path) => ({ path, mode: statSync(path).mode }));
  for (const { path, mode } of modes) chmodSync(path, mode & 0o555);
  const run = await runCommand(stateDir, command, {}, user === "myself" ? {} : user);
  for (const { path, mode } of modes) chmodSync(path, mode);
  return [...wrongWith(command, run), ...(await paidOnceAtTheEnd(stateDir))];
}

function below(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [folder, ...names.map(({ parentPath, name }) => join(parentPath, name))];
}

/** Permissions mean nothing to the superuser, whose command therefore runs as nobody, if nobody may read the program. */
async function playingUser(): Promise<{ uid: number; gid: number } | "myself" | "none"> {
  if (process.getuid?.() !== 0) return "myself";
  const nobody = { uid: NOBODY, gid: NOBODY };
  const run = await runProcess(process.execPath, [CLI, "--version"], nobody).catch(() => null);
  if (run?.code === 0) return nobody;
  process.stderr.write(
    "Skipped: files cannot be made unwritable for the superuser, and nobody else can run the program here.\n",
  );
  return "none";
}
