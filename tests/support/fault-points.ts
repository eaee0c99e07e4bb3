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
  /** The door it stops at before its so manieth transaction. */
  knock?: string;
  transaction?: number;
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
export type Faults = { host?: HostFault; message?: MessageFault };
/** One command of a refund, with a state directory as it finds it. */
export type Phase = { name: "ask" | "approve" | "resume"; template: string };
export type Point = {
  name: string;
  phase: Phase;
  /** Most of its time nothing happens: a reply or a lock is waited for. */
  waits: boolean;
  /** Breaks something in a copy of the phase's directory and gives a person's commands until the end. Returns what is wrong. */
  play: (stateDir: string) => Promise<string[]>;
};
export type CaseState = { caseId: string; status: string; approval: { state: string; digest: string } | null };

export function preloadUrl(fault: HostFault): string {
  const file = pathToFileURL(join(ROOT, "tests", "support", "fault-preload.mjs")).href;
  return `${file}?${encodeURIComponent(JSON.stringify(fault))}`;
}

export const ASK: Command = { profile: "alice", args: ["ask", "Please refund QH-1001.", "--language", "en"] };

export function runCommand(
  stateDir: string,
  { profile, args }: Command,
  faults: Faults = {},
  user: { uid?: number; gid?: number } = {},
): Promise<Run> {
  const imports = faults.host === undefined ? [] : ["--import", preloadUrl(faults.host)];
  const proxy = join(ROOT, "tests", "support", "fault-message-proxy.mjs");
  const command = [process.execPath, proxy, JSON.stringify(faults.message)];
  const env = faults.message === undefined ? {} : { AFTERSALES_COMMERCE_COMMAND: JSON.stringify(command) };
  const global = ["--state-dir", stateDir, "--model", "rehearsal", "--json", "--profile", profile];
  return runProcess(process.execPath, [...imports, CLI, ...global, ...args], { env, ...user });
}

/** Every case with its newest proposal, the newest case first, as the files say. */
export function casesIn(stateDir: string): CaseState[] {
  const { query } = workspaceAt(stateDir);
  const Row = z.object({ case_id: z.string(), status: z.string() });
  const Approval = z.object({ state: z.string(), digest: z.string() });
  const rows = query("application", "select case_id, status from cases order by created_at desc, rowid desc");
  return z
    .array(Row)
    .parse(rows)
    .map(({ case_id, status }) => {
      const sql = "select state, digest from approvals where case_id = ? order by round desc limit 1";
      const [approval] = query("application", sql, case_id);
      return { caseId: case_id, status, approval: approval === undefined ? null : Approval.parse(approval) };
    });
}

export function newestCase(stateDir: string): CaseState | null {
  return casesIn(stateDir)[0] ?? null;
}

const requoteOf = (caseId: string): Command => ({ profile: "alice", args: ["requote", caseId] });

/** The next command a person would give, or null when the case has ended. */
export function nextCommand(state: CaseState | null): Command | null {
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

/** The command that follows in a directory as a phase finds it. */
export function commandOf(stateDir: string): Command {
  const next = nextCommand(newestCase(stateDir));
  if (next === null) throw new Error("the prepared case has ended already");
  return next;
}

const Refusal = z.looseObject({ error: z.looseObject({ code: z.string() }).nullish() });

export function codeIn({ stdout }: Run): string | null {
  try {
    return Refusal.parse(JSON.parse(stdout)).error?.code ?? null;
  } catch {
    return null;
  }
}

/** Codes that explain nothing: whatever breaks has to have a better one. */
const NEVER = ["internal_error", "checkpoint_unreadable"];

/** What no command may answer, whatever was broken around it: only a kill ends one without a code. */
export function wrongWith(command: Command, run: Run): string[] {
  const code = codeIn(run);
  const told = `${command.profile} ${command.args[0]}: ${run.stdout} ${run.stderr}`;
  return [
    ...(/^\s+at \S+ \(/m.test(run.stderr) ? [`a stack trace was shown by ${told}`] : []),
    ...(run.code > 0 && code === null ? [`no code from ${told}`] : []),
    ...(code !== null && NEVER.includes(code) ? [`${code} from ${told}`] : []),
  ];
}

/** One command with the faults in it, then a person's commands. Returns what is wrong in the end. */
export async function playFaults(stateDir: string, faults: Faults): Promise<string[]> {
  const command = commandOf(stateDir);
  const run = await runCommand(stateDir, command, faults);
  return [...wrongWith(command, run), ...(await paidOnceAtTheEnd(stateDir))];
}

/** Goes on until the newest case, or the one that is named, has ended; a lease that a dead process left is waited out by the clock. Returns what was done. */
export async function finishCase(stateDir: string, startMs = 0, caseId?: string): Promise<string[]> {
  let skewMs = startMs;
  let code: string | null = null;
  const done: string[] = [];
  for (let turn = 0; turn < MOST_COMMANDS; turn += 1) {
    const cases = casesIn(stateDir);
    const state = (caseId === undefined ? cases[0] : cases.find((one) => one.caseId === caseId)) ?? null;
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
