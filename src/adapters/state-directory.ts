/** Owns where state lives: the host's files in one folder, the commerce process's in another that is all it ever learns of. */
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

export type StatePaths = {
  root: string;
  applicationDb: string;
  checkpointsDb: string;
  keysDir: string;
  artifactsDir: string;
  commerceDb: string;
};

export function statePaths(stateDir: string): StatePaths {
  const root = resolve(stateDir);
  const host = join(root, "host");
  return {
    root,
    applicationDb: join(host, "application.db"),
    checkpointsDb: join(host, "checkpoints.db"),
    keysDir: join(host, "keys"),
    artifactsDir: join(host, "artifacts"),
    commerceDb: join(root, "commerce", "commerce.db"),
  };
}

/** Creates the folders, readable by their owner only. */
export function createStateFolders(paths: StatePaths): void {
  for (const folder of [
    paths.root,
    join(paths.root, "host"),
    join(paths.root, "commerce"),
    paths.keysDir,
    paths.artifactsDir,
  ]) {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
}
