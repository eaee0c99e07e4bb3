/**
 * Breaks a refund at every database write and every message, and checks that it is paid exactly once in the end.
 * Usage: npm run faults -- [--point TEXT] [--share N] [--seed S]; --point plays the points whose name contains the text, --share one in N.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { point: { type: "string" }, share: { type: "string" }, seed: { type: "string" } },
});
const env = {
  ...process.env,
  FAULT_PROGRESS: "1",
  FAULT_SHARE: values.share ?? "all",
  ...(values.seed === undefined ? {} : { FAULT_SEED: values.seed }),
  ...(values.point === undefined ? {} : { FAULT_POINT: values.point }),
};
const vitest = join("node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(
  process.execPath,
  [vitest, "run", "tests/faults/matrix.test.ts", "--disable-console-intercept"],
  { env, stdio: ["ignore", "inherit", "inherit"] },
);
process.exitCode = status ?? 1;
