/** Owns looking at a state directory without changing it: is everything there, and is it its owner's alone? */
import { existsSync, statSync } from "node:fs";
import { relative } from "node:path";
import { privatePath } from "./grant-keys.js";
import type { StatePaths } from "./state-directory.js";

/** Permission bits of everybody but the owner. Windows has none. */
const OTHERS = 0o077;

/** What is not there, and what others may read or write, by path below the state directory. */
export function inspectState(paths: StatePaths): { missing: string[]; open: string[] } {
  const places = [
    paths.root,
    paths.applicationDb,
    paths.checkpointsDb,
    paths.commerceDb,
    paths.keysDir,
    privatePath(paths.keysDir),
    paths.artifactsDir,
  ];
  const named = (path: string): string => relative(paths.root, path) || ".";
  const present = places.filter((path) => existsSync(path));
  const isOpen = (path: string): boolean => process.platform !== "win32" && (statSync(path).mode & OTHERS) !== 0;
  return {
    missing: places.filter((path) => !present.includes(path)).map(named),
    open: present.filter(isOpen).map(named),
  };
}
