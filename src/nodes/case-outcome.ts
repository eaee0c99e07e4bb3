/** Owns the line in graph state that tells a person where the case stands and what to do next. A picture of the rows; nothing is decided by it. */
import { z } from "zod";
import type { Approval } from "../domain/approval.js";
import { type CaseRow, CaseStatus } from "../domain/case.js";
import type { Language } from "../domain/ids.js";
import { receiptIdOf } from "../domain/receipt.js";

export const Outcome = z.strictObject({
  status: CaseStatus,
  next: z.string(),
  receiptId: z.string().nullable(),
  simulated: z.literal(true),
});
export type Outcome = z.infer<typeof Outcome>;

const NEXT: Record<Language, Record<CaseStatus | "paid", string>> = {
  en: {
    running: "The case is being worked on.",
    queued: "Approved; nothing has been paid yet. Continue the thread (a run without input) to have it executed, once.",
    waiting_approval: "Nothing has been paid. The interrupt shows the proposal and the answer it waits for.",
    completed: "Answered. Nothing was paid.",
    paid: "Executed once. The receipt is SIMULATED; no money moved.",
    needs_input: "The answer says what is missing. Ask again in a new thread.",
    rejected: "Rejected. Nothing was paid.",
    withdrawn: "Withdrawn. Nothing was paid.",
    failed: "Failed. The run's error says why.",
  },
  zh: {
    running: "案件正在处理。",
    queued: "已批准，尚未付款。请继续此线程（不带输入地运行一次），退款会执行且只执行一次。",
    waiting_approval: "尚未付款。中断中显示方案以及所需的回答。",
    completed: "已答复。没有付款。",
    paid: "已执行一次。收据为 SIMULATED（模拟），没有实际资金流动。",
    needs_input: "回答中说明了缺少什么。请在新线程中重新提问。",
    rejected: "已拒绝。没有付款。",
    withdrawn: "已撤回。没有付款。",
    failed: "失败。运行的错误信息说明了原因。",
  },
};

export function outcomeOf(row: CaseRow | null, approval: Pick<Approval, "state" | "proposal"> | null): Outcome | null {
  if (row === null) return null;
  const receiptId = approval?.state === "settled" ? receiptIdOf(approval.proposal.approvalId) : null;
  const next = NEXT[row.language][receiptId === null ? row.status : "paid"];
  return { status: row.status, next, receiptId, simulated: true };
}
