/** What tests about whole cases share: a workspace for a file, the library on it, and the money and decisions read back from disk. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "@langchain/langgraph";
import { afterAll, expect, inject, onTestFinished } from "vitest";
import { z } from "zod";
import { type Clocks, systemClocks } from "../../src/graph/compose.js";
import { type Aftersales, type OpenOptions, openAftersales } from "../../src/graph/open.js";
import { Waiting } from "./refund-story.js";
import { jsonOf, type Run, type Workspace, workspaceAt } from "./workspace.js";

export const MINUTE = 60_000;

/** One initialised state directory for a whole test file, for cases that do not meet. Call it outside of tests. */
export function sharedWorkspace(): Workspace {
  const stateDir = mkdtempSync(join(tmpdir(), "aftersales-test-"));
  cpSync(inject("templateDir"), stateDir, { recursive: true });
  afterAll(() => rmSync(stateDir, { recursive: true, force: true }));
  return workspaceAt(stateDir);
}

/** The wall clock moved by `offsetMs`; durations stay real. */
export function clocksMoved(offsetMs: number): Clocks {
  return { ...systemClocks, runtime: { nowMs: () => Date.now() + offsetMs } };
}

/** A wall clock that stands still. */
export function clocksAt(nowMs: number): Clocks {
  return { ...systemClocks, runtime: { nowMs: () => nowMs } };
}

const Money = z.tuple([z.strictObject({ refunded_cents: z.int(), version: z.int() })]);
const Count = z.tuple([z.strictObject({ count: z.int() })]);

/** Balance and version of an order, and the number of receipts of all orders. */
export function moneyOf(
  workspace: Workspace,
  orderId = "QH-1001",
): { refunded: number; version: number; receipts: number } {
  const [order] = Money.parse(
    workspace.query("commerce", "select refunded_cents, version from orders where order_id = ?", orderId),
  );
  const [{ count }] = Count.parse(workspace.query("commerce", "select count(*) as count from receipts"));
  return { refunded: order.refunded_cents, version: order.version, receipts: count };
}

export const UNPAID = { refunded: 0, version: 1, receipts: 0 };
export const PAID_ONCE = { refunded: 12_900, version: 2, receipts: 1 };

const ApprovalRow = z.looseObject({
  round: z.int(),
  state: z.string(),
  void_code: z.string().nullable(),
  digest: z.string(),
  proposal: z.string(),
  reviewer: z.string().nullable(),
  reason: z.string().nullable(),
  grant_jws: z.string().nullable(),
  receipt: z.string().nullable(),
});
export type ApprovalRow = z.infer<typeof ApprovalRow>;

export function approvalsOf(workspace: Workspace, caseId: string): ApprovalRow[] {
  return z
    .array(ApprovalRow)
    .parse(workspace.query("application", "select * from approvals where case_id = ? order by round", caseId));
}

/** The newest proposal of a case. */
export function approvalOf(workspace: Workspace, caseId: string): ApprovalRow {
  return ApprovalRow.parse(approvalsOf(workspace, caseId).at(-1));
}

const CaseOnDisk = z.looseObject({
  status: z.string(),
  phase: z.string(),
  error_code: z.string().nullable(),
  artifact: z.string().nullable(),
});

export function caseOf(workspace: Workspace, caseId: string): z.infer<typeof CaseOnDisk> {
  return CaseOnDisk.parse(workspace.query("application", "select * from cases where case_id = ?", caseId)[0]);
}

/** The case waits as it was delivered: same proposal, undecided, no grant, nothing paid. */
export function expectStillWaiting(workspace: Workspace, waiting: Waiting): void {
  expect(caseOf(workspace, waiting.caseId)).toMatchObject({ status: "waiting_approval", phase: "approve" });
  expect(approvalsOf(workspace, waiting.caseId)).toMatchObject([
    { state: "pending", digest: waiting.digest, reviewer: null, grant_jws: null, receipt: null },
  ]);
  expect(moneyOf(workspace, waiting.proposal.orderId)).toMatchObject({ receipts: 0, version: 1 });
}

/** The library under one name, closed when the test ends. */
export async function openAs(
  workspace: Workspace,
  profile: string,
  options: Partial<OpenOptions> = {},
): Promise<Aftersales> {
  const opened = await openAftersales({ stateDir: workspace.stateDir, profile, model: "rehearsal", ...options });
  onTestFinished(() => opened.close());
  return opened;
}

export type GraphInput = Parameters<Aftersales["graph"]["invoke"]>[0];

/** The settings of every call on a case's thread. */
export function threadOf(caseId: string) {
  return { configurable: { thread_id: caseId, __pregel_strict_resume: true }, durability: "sync" as const };
}

/** Runs the graph on a case the way a program does. */
export function invoke(handle: Aftersales, caseId: string, input: GraphInput): Promise<unknown> {
  return handle.withCase(caseId, () => handle.graph.invoke(input, threadOf(caseId)));
}

/** The ids of the questions that wait in a case. */
export async function pendingIds(handle: Aftersales, caseId: string): Promise<string[]> {
  const { tasks } = await handle.graph.getState(threadOf(caseId));
  return tasks.flatMap(({ interrupts }) => interrupts.flatMap(({ id }) => id ?? []));
}

/** Sends a value to the one question that waits. */
export async function answerWith(handle: Aftersales, caseId: string, value: unknown): Promise<unknown> {
  const [id = "none"] = await pendingIds(handle, caseId);
  return invoke(handle, caseId, new Command({ resume: { [id]: value } }));
}

/** `review --approve` or `review --reject` in this process. */
export function review(
  workspace: Workspace,
  waiting: { caseId: string; digest: string },
  verdict: "--approve" | "--reject",
  given: { profile?: string; clocks?: Clocks } = {},
): Promise<Run> {
  const { profile = "chen", clocks = systemClocks } = given;
  const args = ["--json", "--profile", profile, "review", waiting.caseId, "--digest", waiting.digest, verdict];
  return workspace.inProcess(args, { clocks });
}

/** `requote`, `withdraw`, `resume` or `inspect` of a case in this process, as the applicant unless told. */
export function run(
  workspace: Workspace,
  command: "requote" | "withdraw" | "resume" | "inspect",
  caseId: string,
  given: { profile?: string; clocks?: Clocks; flags?: readonly string[] } = {},
): Promise<Run> {
  const { profile = "alice", clocks = systemClocks, flags = [] } = given;
  return workspace.inProcess(["--json", "--profile", profile, command, caseId, ...flags], { clocks });
}

export function waitingOf(printed: Run): Waiting {
  return Waiting.parse(jsonOf(printed));
}

const Refused = z.looseObject({ error: z.looseObject({ code: z.string() }) });

/** The code a `--json` command ended with. */
export function codeOf(printed: Run): string {
  return Refused.parse(jsonOf(printed)).error.code;
}

const Recorded = z.looseObject({
  status: z.string(),
  proposal: z.looseObject({ applicant: z.string() }).nullable(),
  decision: z.looseObject({ decision: z.string(), reviewer: z.string().nullable() }).nullable(),
  receipt: z.looseObject({ receiptId: z.string(), amountCents: z.int() }).nullable(),
});

/** The JSON at the end of the record that the case row points to. */
export function recordOf(workspace: Workspace, caseId: string): z.infer<typeof Recorded> {
  const { artifact } = caseOf(workspace, caseId);
  const text = readFileSync(join(workspace.stateDir, "host", "artifacts", artifact ?? "none"), "utf8");
  return Recorded.parse(JSON.parse(/```json\n(.+)\n```\n$/.exec(text)?.[1] ?? "null"));
}
