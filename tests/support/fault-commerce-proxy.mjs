/**
 * Stands between the host and the real commerce process, forwards every line both ways and writes both down. What it does to the first
 * `times` replies of `tool` is told by its first argument, a JSON object; the other arguments are the service's own.
 * A reply means that the service has committed.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const [scenario = "{}", ...args] = process.argv.slice(2);
const { folder, tool = "execute_refund", fault = "none", times = 1, change = {}, delayMs = 0 } = JSON.parse(scenario);
const SERVICE = fileURLToPath(new URL("../../dist/commerce.mjs", import.meta.url));

const note = (file, value) => appendFileSync(join(folder, file), `${JSON.stringify(value)}\n`);
const countIn = (file) =>
  existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8").split("\n").length - 1 : 0;

note("started", { args, env: process.env, pid: process.pid });
const service = spawn(process.execPath, [SERVICE, ...args], { stdio: ["pipe", "pipe", "inherit"] });
const asked = new Set();
const held = [];

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function die() {
  service.kill("SIGKILL");
  process.kill(process.pid, "SIGKILL");
}

const faults = {
  none: send,
  die,
  "kill-host": () => process.kill(process.ppid, "SIGKILL"),
  drop: () => undefined,
  late: (message) => held.push(message),
  twice: (message) => [message, message].forEach(send),
  slow: (message) => setTimeout(() => send(message), delayMs),
  garble: (message) => process.stdout.write(`${JSON.stringify(message).slice(0, 40)}\n`),
  misshape: (message) => send({ ...message, result: { content: [{ type: "text", text: "done" }] } }),
  refuse: ({ jsonrpc, id }) => send({ jsonrpc, id, error: { code: -32603, message: "Internal error" } }),
  "time-out": ({ jsonrpc, id }) => send({ jsonrpc, id, error: { code: -32001, message: "Request timed out" } }),
  change: (message) => {
    const structuredContent = { ...message.result.structuredContent, ...change };
    const content = [{ type: "text", text: JSON.stringify(structuredContent) }];
    send({ ...message, result: { ...message.result, content, structuredContent } });
  },
};

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    note("wire", { from: "host", message });
    if (message.method === "tools/call" && message.params.name === tool) {
      asked.add(message.id);
      note("asked", message.id);
      if (fault === "die-before" && countIn("asked") <= times) return die();
    }
    service.stdin.write(`${line}\n`);
  })
  .on("close", () => service.stdin.end());

createInterface({ input: service.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  note("wire", { from: "service", message });
  if (!asked.has(message.id)) return send(message);
  note("answered", message.id);
  if (countIn("answered") <= times) return (faults[fault] ?? send)(message);
  for (const earlier of held.splice(0)) send(earlier);
  send(message);
});

service.on("exit", (code) => process.exit(code ?? 1));
