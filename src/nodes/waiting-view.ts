/** Owns what a client is shown while a case waits, and in which form it has to answer. Its shape is part of the graph's persisted contract. */
import { isErrorCode, sentenceOf } from "../domain/errors.js";
import { formatCny } from "../domain/money.js";
import type { CaseState } from "./case-state.js";
import type { Signing } from "./unit.js";

const WORDS = {
  en: {
    missing: (tenant: string, applicant: string) =>
      `A decision on exactly this proposal, by a reviewer of ${tenant} other than ${applicant}. Nothing has been paid.`,
    decisions: {
      approve: "a reviewer; nothing is paid before the thread is continued once more",
      reject: "a reviewer; ends the case",
      requote: "the applicant or a reviewer; a new proposal from the order's current record",
      withdraw: "the applicant; ends the case",
    },
    reason: "optional beside decision, digest and by: reason, up to 500 characters",
  },
  zh: {
    missing: (tenant: string, applicant: string) =>
      `需要 ${tenant} 的一位审核员（不能是 ${applicant}）对这个方案作出决定。尚未付款。`,
    decisions: {
      approve: "审核员；在再次继续此线程之前不会付款",
      reject: "审核员；结束案件",
      requote: "申请人或审核员；按订单的最新记录重新生成方案",
      withdraw: "申请人；结束案件",
    },
    reason: "除 decision、digest 和 by 外还可附 reason，最多 500 个字符",
  },
};

/** The proposal, what is missing, why the last answer was refused, and the JSON to answer with. */
export function waitingView(
  { proposal, refusal, language }: Pick<CaseState, "proposal" | "refusal" | "language">,
  signing: Signing,
): Record<string, unknown> {
  // A client can edit state; an error here would leave the case without its question.
  const told = language === "zh" ? "zh" : "en";
  const words = WORDS[told];
  return {
    kind: "refund_approval",
    summary: proposal === null ? null : `${proposal.orderId}, ${formatCny(proposal.amountCents)}`,
    missing: proposal === null ? null : words.missing(proposal.tenant, proposal.applicant),
    digest: proposal?.digest ?? null,
    refusal,
    refusalReason: refusal !== null && isErrorCode(refusal) ? sentenceOf(refusal, told) : null,
    answerWith: { decision: "approve", digest: proposal?.digest ?? null, by: signing.by },
    decisions: { ...words.decisions, note: words.reason },
    signing: signing.note[told],
    proposal,
  };
}
