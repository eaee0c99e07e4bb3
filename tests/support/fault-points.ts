/** Runs the command line with one fault in it, and afterwards does what a person would do until the case has ended. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { auditLedger } from "./ledger-audit.js";
import { CLI, ROOT, type Run, runProcess, workspaceAt } from "./workspace.js";

const LEASE_MS = 31_000;
const MOST_COMMANDS = 14;

/** What happens to the host itself. */
export type HostFault = {
  at?: number;
  when?: "before" | "after";
  log?: string;
  skewMs?: number;
  full?: boolean;
};
/** What happens at one message between the host and the service, or inside the service. */
export type MessageFault = {
  at?: number;
  fault?: "kill-host" | "kill-service" | "drop" | "delay" | "twice" | "garble";
  log?: string;
  mark?: string;
  preload?: string;
};
export type Command = { profile: string; args: string[] };
type State = { caseId: string; status: string; approval: { state: string; digest: string } | null };

export function preloadUrl(fault: HostFault): string {
  const file = pathToFileURL(join(ROOT, "tests", "support", "fault-preload.mjs")).href;
  return `${file}?${encodeURIComponent(JSON.stringify(fault))}`;
}

export const ASK: Command = { profile: "alice", args: ["ask", "Please refund QH-1001.", "--language", "en"] };

export function runCommand(
  stateDir: string,
  { profile, args }: Command,
  faults: { host?: HostFault; message?: MessageFault } = {},
): Promise<Run> {
  const imports = faults.host === undefined ? [] : ["--import", preloadUrl(faults.host)];
  const proxy = join(ROOT, "tests", "support", "fault-message-proxy.mjs");
  const command = [process.execPath, proxy, JSON.stringify(faults.message)];
  const env = faults.message === undefined ? {} : { AFTERSALES_COMMERCE_COMMAND: JSON.stringify(command) };
  const global = ["--state-dir", stateDir, "--model", "rehearsal", "--json", "--profile", profile];
  return runProcess(process.execPath, [...imports, CLI, ...global, ...args], { env });
}

/** The newest case with its newest proposal, as the files say. */
export function newestCase(stateDir: string): State | null {
  const { query } = workspaceAt(stateDir);
  const Row = z.object({ case_id: z.string(), status: z.string() });
  const [found] = query(
    "application",
    "select case_id, status from cases order by created_at desc, rowid desc limit 1",
  );
  if (found === undefined) return null;
  const { case_id, status } = Row.parse(found);
  const sql = "select state, digest from approvals where case_id = ? order by round desc limit 1";
  const [approval] = query("application", sql, case_id);
  const Approval = z.object({ state: z.string(), digest: z.string() });
  return { caseId: case_id, status, approval: approval === undefined ? null : Approval.parse(approval) };
}

const requoteOf = (caseId: string): Command => ({ profile: "alice", args: ["requote", caseId] });

/** The next command a person would give, or null when the case has ended. */
export function nextCommand(state: State | null): Command | null {
  if (state === null) return ASK;
  const { caseId, status, approval } = state;
  if (status === "waiting_approval" && approval?.state === "pending") {
    return { profile: "chen", args: ["review", caseId, "--digest", approval.digest, "--approve"] };
  }
  if (status === "waiting_approval" && approval?.state !== "approved") {
    return requoteOf(caseId);
  }
  if (status === "failed") return { profile: "alice", args: ["resume", caseId, "--retry"] };
  if (["completed", "needs_input", "rejected", "withdrawn"].includes(status)) return null;
  return { profile: "alice", args: ["resume", caseId] };
}

const Refusal = z.looseObject({ error: z.looseObject({ code: z.string() }).nullish() });

function codeIn({ stdout }: Run): string | null {
  try {
    return Refusal.parse(JSON.parse(stdout)).error?.code ?? null;
  } catch {
    return null;
  }
}

/** Goes on until the case has ended; a lease that a dead process left is waited out by the clock. Returns what was done. */
export async function finishCase(stateDir: string, startMs = 0): Promise<string[]> {
  let skewMs = startMs;
  let code: string | null = null;
  const done: string[] = [];
  for (let turn = 0; turn < MOST_COMMANDS; turn += 1) {
    const state = newestCase(stateDir);
    const requote = code === "approval_expired" && state !== null;
    const next = requote ? requoteOf(state.caseId) : nextCommand(state);
    if (next === null) return done;
    const ran = await runCommand(stateDir, next, { host: { skewMs } });
    code = codeIn(ran);
    done.push(`${next.args[0]}: ${ran.code} ${code ?? ""}`);
    if (code === "case_busy" || code === "requote_not_needed" || ran.code !== 0) skewMs += LEASE_MS;
  }
  return [...done, "gave up"];
}

/** A copy of a prepared state directory, judged after the story and removed. Returns what is wrong. */
export async function judged(
  template: string,
  before: ReadonlyMap<string, number>,
  story: (stateDir: string) => Promise<string[]>,
): Promise<string[]> {
  const stateDir = copyOf(template);
  try {
    const wrong = await story(stateDir);
    return [...wrong, ...(await auditLedger(stateDir, before))];
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

/** A person finishes the case, which must then be completed with exactly one receipt. */
export async function paidOnceAtTheEnd(stateDir: string, startMs = 0): Promise<string[]> {
  const done = await finishCase(stateDir, startMs);
  const end = newestCase(stateDir);
  const { query } = workspaceAt(stateDir);
  const receipts = query("commerce", "select approval_id from receipts").length;
  if (end?.status === "completed" && receipts === 1) return [];
  return [`ended ${end?.status ?? "without a case"} with ${receipts} receipts after ${done.join("; ")}`];
}

export function copyOf(template: string): string {
  const stateDir = mkdtempSync(join(tmpdir(), "aftersales-fault-"));
  cpSync(template, stateDir, { recursive: true });
  return stateDir;
}

export function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}
