#!/usr/bin/env node
/**
 * Owns a line to the commerce service that breaks once, for the demonstration: the first receipt that passes is lost together with the
 * line, after the service has committed. Arguments: a file that takes notes, then the service's own command.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [notes = "", command = "", ...args] = process.argv.slice(2);
const service = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const note = (what: string): void => appendFileSync(notes, `${what}\n`);
const wasLost = (): boolean => existsSync(notes) && readFileSync(notes, "utf8").includes("lost");

createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (line.includes('"approval_id"')) note("asked");
    service.stdin.write(`${line}\n`);
  })
  .on("close", () => service.stdin.end());

createInterface({ input: service.stdout }).on("line", (line) => {
  if (!line.includes('"receipt_id":"SIM-') || wasLost()) {
    process.stdout.write(`${line}\n`);
    return;
  }
  note("lost");
  service.kill();
  process.exit(1);
});

service.on("exit", (code) => process.exit(code ?? 1));
