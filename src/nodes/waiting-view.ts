/** Owns what a client is shown while a case waits, and in which form it has to answer. Its shape is part of the graph's persisted contract. */
import { isErrorCode, sentenceOf } from "../domain/errors.js";
import { formatCny } from "../domain/money.js";
import { proposalDigest } from "../domain/proposal.js";
import { type CaseState, ProposalView } from "./case-state.js";
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
    edited:
      "The proposal in this thread's state is not one that was made: somebody edited it. Nothing can be decided on it here; review-info CASE on the command line shows the real one.",
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
    edited:
      "此线程状态中的方案不是系统生成的，已被人改动，无法在这里据以决定。请在命令行用 review-info CASE 查看真实的方案。",
    reason: "除 decision、digest 和 by 外还可附 reason，最多 500 个字符",
  },
};

/** The proposal, what is missing, why the last answer was refused, and the JSON to answer with. */
export function waitingView(
  state: Pick<CaseState, "proposal" | "refusal" | "language">,
  signing: Signing,
): Record<string, unknown> {
  // A client can edit state; an error here would leave the case without its question.
  const language = state.language === "zh" ? "zh" : "en";
  const words = WORDS[language];
  const proposal = unedited(state.proposal);
  const digest = proposal?.digest ?? null;
  const { refusal } = state;
  return {
    kind: "refund_approval",
    summary: proposal === null ? null : `${proposal.orderId}, ${formatCny(proposal.amountCents)}`,
    missing: proposal === null ? words.edited : words.missing(proposal.tenant, proposal.applicant),
    digest,
    refusal,
    refusalReason: refusal !== null && isErrorCode(refusal) ? sentenceOf(refusal, language) : null,
    answerWith: { decision: "approve", digest, by: signing.by },
    decisions: { ...words.decisions, note: words.reason },
    signing: signing.note[language],
    proposal,
  };
}

/** A reviewer must not be shown one amount beside the digest of another. */
function unedited(shown: CaseState["proposal"]): ProposalView | null {
  const parsed = ProposalView.safeParse(shown);
  if (!parsed.success) return null;
  const { digest, ...proposal } = parsed.data;
  return proposalDigest(proposal) === digest ? parsed.data : null;
}
