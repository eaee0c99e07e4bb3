/**
 * Stands between the host and the commerce process and writes down every message that passes, in both directions. With a file named
 * after the record plus `.fault` it plays a commerce process that fails with somebody else's words.
 * Usage: node adversary-wire.mjs RECORD PROGRAM ARGUMENTS...
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [record, program, ...args] = process.argv.slice(2);
const note = (entry) => appendFileSync(record, `${JSON.stringify(entry)}\n`);
const names = new Map();

note({ kind: "started", args, env: Object.values(process.env).join("\n") });
const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"], env: {} });

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  note({ kind: "asked", message });
  if (message.method === "tools/call") names.set(message.id, message.params.name);
  child.stdin.write(`${line}\n`);
});
process.stdin.on("end", () => child.stdin.end());

createInterface({ input: child.stdout }).on("line", (line) => {
  const message = withFault(JSON.parse(line));
  note({ kind: "answered", tool: names.get(message.id) ?? null, message });
  process.stdout.write(`${JSON.stringify(message)}\n`);
});
child.on("exit", (code) => process.exit(code ?? 1));

function withFault(message) {
  if (!existsSync(`${record}.fault`) || message.result === undefined) return message;
  const fault = JSON.parse(readFileSync(`${record}.fault`, "utf8"));
  if (names.get(message.id) !== fault.tool) return message;
  const error = { category: "transient", code: fault.code, retryable: true, message: fault.message };
  const content = [{ type: "text", text: fault.message }];
  return { ...message, result: { isError: true, content, _meta: { "cn.qinghe.aftersales/error": error } } };
}
