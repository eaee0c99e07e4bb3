/**
 * Stands between the host and the real commerce process and counts every line, both ways. What happens at line `at` is told by its first
 * argument, a JSON object; `preload` is given to the service itself. It happens once: `mark` is a file that says it has.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const [scenario = "{}", ...args] = process.argv.slice(2);
const { log, at = 0, fault = "none", mark, preload } = JSON.parse(scenario);
const SERVICE = fileURLToPath(new URL("../../dist/commerce.mjs", import.meta.url));
const spent = mark !== undefined && existsSync(mark);
if (mark !== undefined) writeFileSync(mark, "");
const imports = preload === undefined || spent ? [] : ["--import", preload];
const service = spawn(process.execPath, [...imports, SERVICE, ...args], { stdio: ["pipe", "pipe", "inherit"] });

let count = 0;
function pass(from, line, target) {
  count += 1;
  if (log !== undefined) appendFileSync(log, `${from}\n`);
  const forward = (text) => target.write(`${text}\n`);
  if (spent || count !== at) return forward(line);
  if (fault === "kill-host") return process.kill(process.ppid, "SIGKILL");
  if (fault === "kill-service") {
    service.kill("SIGKILL");
    return process.kill(process.pid, "SIGKILL");
  }
  if (fault === "delay") return setTimeout(forward, 300, line);
  if (fault === "twice") return [line, line].forEach(forward);
  if (fault === "garble") return forward(line.slice(0, 40));
  if (fault !== "drop") forward(line);
}

createInterface({ input: process.stdin })
  .on("line", (line) => pass("host", line, service.stdin))
  .on("close", () => service.stdin.end());
createInterface({ input: service.stdout }).on("line", (line) => pass("service", line, process.stdout));
service.stdin.on("error", () => undefined);
service.on("exit", (code) => process.exit(code ?? 1));
