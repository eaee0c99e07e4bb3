/** Measures how long commands take to start and finish, against a bare `node -e 0`. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { printReport } from "./report.js";

const RUNS = 5;
const state = mkdtempSync(join(tmpdir(), "aftersales-bench-state-"));
const cli = (...args: string[]) => ["dist/cli.mjs", "--state-dir", state, "--model", "rehearsal", "--json", ...args];
const run = (args: readonly string[]) =>
  execFileSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

function figure(name: string, args: readonly string[]) {
  const values = Array.from({ length: RUNS }, () => {
    const started = performance.now();
    run(args);
    return performance.now() - started;
  });
  return { name, unit: "ms", values };
}

try {
  run(cli("init"));
  const question = ["ask", "When was QH-1001 delivered?", "--language", "en"];
  const { caseId } = z.object({ caseId: z.string() }).parse(JSON.parse(run(cli(...question))));
  const figures = [
    figure("node -e 0", ["-e", "0"]),
    figure("--help", ["dist/cli.mjs", "--help"]),
    figure("inspect", cli("inspect", caseId)),
    figure("cases", cli("cases")),
    figure("ask, a whole case without a proposal", cli(...question)),
  ];
  printReport(`Commands from start to exit, each a new process, ${RUNS} runs`, figures);
} finally {
  rmSync(state, { recursive: true, force: true });
}
