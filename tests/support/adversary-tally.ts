/** Hands the counts of a run to whoever started it: `npm run adversary` names a folder for them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type Tally = Record<string, number>;

/** How many trajectories, and from which seed. Without `npm run adversary` the hundred that every test run makes. */
export const RUNS = Number(process.env.ADVERSARY_RUNS ?? 100);
export const SEED = Number(process.env.ADVERSARY_SEED ?? 20_260_912);

export function count(tally: Tally, name: string): void {
  tally[name] = (tally[name] ?? 0) + 1;
}

export function handOver(name: string, tally: Tally): void {
  const folder = process.env.ADVERSARY_COUNTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(tally));
}
