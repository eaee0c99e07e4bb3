/** Random days of a shop: several people's commands at once, most of them broken somewhere, then everything brought to its end and judged. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { z } from "zod";
import { type Command, copyOf, type HostFault, type MessageFault, preloadUrl, runCommand } from "./fault-points.js";
import { auditLedger } from "./ledger-audit.js";
import { type Run, workspaceAt } from "./workspace.js";

export type Tally = Record<string, number>;
type Random = () => number;
type Faults = { host?: HostFault; message?: MessageFault };
type Lock = { database: string; ms: number };

const CUSTOMERS = [
  { customer: "alice", reviewer: "chen", orders: ["QH-1001", "QH-1002", "QH-1009", "QH-1004"] },
  { customer: "bob", reviewer: "chen", orders: ["QH-2001"] },
  { customer: "lin", reviewer: "mei", orders: ["QH-3001"] },
] as const;
const QUESTIONS = [
  (order: string) => [`Please refund ${order}.`, "--language", "en"],
  (order: string) => [`请为 ${order} 办理退款。`, "--language", "zh"],
  (order: string) => [`Where is my parcel ${order}?`, "--language", "en"],
  () => ["保修多久？", "--language", "zh"],
];
const MINUTE_MS = 60_000;
const LEASE_MS = 31_000;
/** More than a command of this program writes or sends: a fault that is never reached is a day without one. */
const WRITES = 130;
const MESSAGES = 30;
const MOST_TO_AN_END = 25;
const WRONG_DIGEST = "0".repeat(64);
const NEVER = ["internal_error", "checkpoint_unreadable"];

const Case = z.object({ case_id: z.string(), applicant: z.string(), tenant: z.string(), status: z.string() });
type Case = z.infer<typeof Case> & { digests: string[]; state: string | null };

/** Plays one day on a copy of the template. Returns what is wrong; counts into `tally`. */
export async function playDay(
  template: string,
  before: ReadonlyMap<string, number>,
  random: Random,
  tally: Tally,
): Promise<string[]> {
  const stateDir = copyOf(template);
  const wrong: string[] = [];
  const judge = (command: Command, faults: Faults, ran: Run): void => {
    const code = codeIn(ran);
    count(tally, `command ${command.args[0]}`);
    count(
      tally,
      ran.code === 0 ? "ended well" : ran.code === -1 ? "was killed" : `refused ${code ?? "without a code"}`,
    );
    const told = [command.profile, ...command.args, JSON.stringify(faults)].join(" ");
    if (/^\s+at \S+ \(/m.test(ran.stderr)) wrong.push(`a stack trace was shown: ${told}`);
    if (ran.code > 0 && code === null) wrong.push(`no code: ${told}: ${ran.stdout} ${ran.stderr}`);
    if (code !== null && NEVER.includes(code)) wrong.push(`${code}: ${told}`);
  };
  try {
    for (let hour = 0; hour < 12; hour += 1) {
      const lock = pick(random, [null, null, null, randomLock(random)]);
      const released = lock === null ? undefined : holdLock(stateDir, lock, tally);
      const together = Array.from({ length: pick(random, [1, 1, 2, 4]) }, () => ({
        command: randomCommand(casesOf(stateDir), random),
        faults: randomFaults(stateDir, random, tally),
      }));
      await Promise.all(
        together.map(async ({ command, faults }) =>
          judge(command, faults, await runCommand(stateDir, command, faults)),
        ),
      );
      await released;
    }
    wrong.push(...(await endAll(stateDir, judge)));
    wrong.push(...(await auditLedger(stateDir, before)));
    const receipts = z
      .array(z.object({ n: z.int() }))
      .parse(workspaceAt(stateDir).query("commerce", "select count(*) n from receipts"));
    count(tally, "refunds paid", receipts[0]?.n ?? 0);
    return wrong;
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

/** Ordinary commands until every case has ended; leases that dead processes left are waited out by the clock. */
async function endAll(
  stateDir: string,
  judge: (command: Command, faults: Faults, ran: Run) => void,
): Promise<string[]> {
  let skewMs = 2 * 60 * MINUTE_MS;
  const wrong: string[] = [];
  for (const { case_id } of casesOf(stateDir)) {
    const done: string[] = [];
    for (;;) {
      const next = nextToAnEnd(casesOf(stateDir).find((one) => one.case_id === case_id));
      if (next === null) break;
      if (done.length === MOST_TO_AN_END) {
        wrong.push(`a case did not end after ${done.join("; ")}`);
        break;
      }
      const faults = { host: { skewMs } };
      const ran = await runCommand(stateDir, next, faults);
      judge(next, faults, ran);
      done.push(`${next.args[0]}: ${ran.code} ${codeIn(ran) ?? ""}`);
      if (ran.code !== 0) skewMs += LEASE_MS;
    }
  }
  for (const profile of ["chen", "mei"]) {
    const audit = await runCommand(stateDir, { profile, args: ["audit"] }, { host: { skewMs } });
    if (audit.code !== 0) wrong.push(`the product's own audit: ${audit.stdout}`);
  }
  return wrong;
}

function nextToAnEnd(one: Case | undefined): Command | null {
  if (one === undefined || ["completed", "needs_input", "rejected", "withdrawn"].includes(one.status)) return null;
  const { case_id, applicant, status, digests, state } = one;
  const digest = digests.at(-1);
  if (status === "waiting_approval" && digest !== undefined && state !== "approved") {
    // Whatever was proposed under a clock that was ahead or behind, a person can always say no.
    const args = ["review", case_id, "--digest", digest, "--reject"];
    return { profile: reviewerOf(one), args: state === "pending" ? args : ["requote", case_id] };
  }
  return { profile: applicant, args: ["resume", case_id, ...(status === "failed" ? ["--retry"] : [])] };
}

function reviewerOf({ tenant }: Case): string {
  return tenant === "south" ? "mei" : "chen";
}

function casesOf(stateDir: string): Case[] {
  const { query } = workspaceAt(stateDir);
  const Approval = z.array(z.object({ state: z.string(), digest: z.string() }));
  return z
    .array(Case)
    .parse(query("application", "select case_id, applicant, tenant, status from cases order by created_at, rowid"))
    .map((row) => {
      const sql = "select state, digest from approvals where case_id = ? order by round";
      const approvals = Approval.parse(query("application", sql, row.case_id));
      return { ...row, digests: approvals.map(({ digest }) => digest), state: approvals.at(-1)?.state ?? null };
    });
}

function randomCommand(cases: readonly Case[], random: Random): Command {
  const customer = pick(random, CUSTOMERS);
  const ask: Command = {
    profile: customer.customer,
    args: ["ask", ...pick(random, [...QUESTIONS, ...QUESTIONS.slice(0, 2)])(pick(random, customer.orders))],
  };
  if (cases.length === 0 || random() < 0.25) return ask;
  const one = pick(random, cases);
  const stranger = random() < 0.1;
  const applicant = stranger ? "bob" : one.applicant;
  const reviewer = stranger ? "mei" : reviewerOf(one);
  const digest = (random() < 0.85 ? one.digests.at(-1) : undefined) ?? pick(random, [...one.digests, WRONG_DIGEST]);
  const decide = (...verdict: string[]): Command => ({
    profile: reviewer,
    args: ["review", one.case_id, "--digest", digest, ...verdict],
  });
  return pick(random, [
    () => decide("--approve"),
    () => decide("--approve"),
    () => decide("--approve"),
    () => decide("--reject", "--reason", "not now"),
    (): Command => ({ profile: applicant, args: ["resume", one.case_id] }),
    (): Command => ({ profile: applicant, args: ["resume", one.case_id] }),
    (): Command => ({ profile: applicant, args: ["resume", one.case_id, "--retry"] }),
    (): Command => ({ profile: reviewer, args: ["resume", one.case_id] }),
    (): Command => ({ profile: applicant, args: ["requote", one.case_id] }),
    (): Command => ({ profile: applicant, args: ["withdraw", one.case_id] }),
    (): Command => ({ profile: applicant, args: ["inspect", one.case_id, "--events"] }),
    (): Command => ({ profile: reviewer, args: ["audit"] }),
    (): Command => ({ profile: applicant, args: ["forget", one.case_id] }),
  ])();
}

function randomFaults(stateDir: string, random: Random, tally: Tally): Faults {
  const at = whole(random, WRITES);
  const when = pick(random, ["before", "after"] as const);
  const message = whole(random, MESSAGES);
  const mark = join(stateDir, `mark-${at}-${message}`);
  const none = [] as const;
  const choices: readonly (readonly [] | readonly [string, Faults])[] = [
    none,
    none,
    none,
    none,
    ["host killed", { host: { at, when } }],
    ["host killed", { host: { at: whole(random, 20), when } }],
    ["host killed by a message", { message: { at: message, fault: "kill-host", mark } }],
    ["service killed by a message", { message: { at: message, fault: "kill-service", mark } }],
    ["message doubled", { message: { at: message, fault: "twice", mark } }],
    ["message late", { message: { at: message, fault: "delay", mark } }],
    ["service killed at a write", { message: { mark, preload: preloadUrl({ at: whole(random, 6), when }) } }],
    ["host's disk full", { host: { full: true } }],
    ["service's disk full", { message: { preload: preloadUrl({ full: true }) } }],
    ["clock ahead", { host: { skewMs: whole(random, 90) * MINUTE_MS } }],
    ["clock behind", { host: { skewMs: -whole(random, 90) * MINUTE_MS } }],
  ];
  // A lost reply is waited for until its deadline, so that it is rare.
  const lost: readonly [string, Faults] = [
    "reply lost",
    { message: { at: message, fault: pick(random, ["drop", "garble"] as const), mark } },
  ];
  const [name, faults] = random() < 0.02 ? lost : pick(random, choices);
  count(tally, `fault ${name ?? "none"}`);
  return faults ?? {};
}

function randomLock(random: Random): Lock {
  const database = pick(random, [
    join("host", "application.db"),
    join("host", "checkpoints.db"),
    join("commerce", "commerce.db"),
  ]);
  return { database, ms: whole(random, 2_000) };
}

/** Somebody else's transaction, held for that long. */
async function holdLock(stateDir: string, { database, ms }: Lock, tally: Tally): Promise<void> {
  const held = new Database(join(stateDir, database));
  try {
    held.exec("begin immediate");
    count(tally, "fault database locked");
    await wait(ms);
    held.exec("rollback");
  } finally {
    held.close();
  }
}

function codeIn({ stdout }: Run): string | null {
  const Refusal = z.looseObject({ error: z.looseObject({ code: z.string() }).nullish() });
  try {
    return Refusal.parse(JSON.parse(stdout)).error?.code ?? null;
  } catch {
    return null;
  }
}

function count(tally: Tally, name: string, times = 1): void {
  tally[name] = (tally[name] ?? 0) + times;
}

function whole(random: Random, most: number): number {
  return 1 + Math.floor(random() * most);
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
