/** Codes of decisions and settlement. */
import type { ErrorEntry } from "./entry.js";

export const APPROVAL_ERRORS = {
  invalid_decision: {
    category: "validation",
    en: "The decision must be an object with decision, digest and by. Send exactly those (reason is optional).",
    zh: "决定必须是包含 decision、digest 和 by 的对象。请只发送这些字段（reason 可选）。",
  },
  not_reviewer: {
    category: "permission",
    en: "Only a reviewer of this merchant can approve or reject. The case keeps waiting.",
    zh: "只有该商户的审核员可以批准或拒绝。案件继续等待。",
  },
  self_approval: {
    category: "permission",
    en: "Nobody can decide on their own request. The case keeps waiting.",
    zh: "不能对自己的申请作决定。案件继续等待。",
  },
  decision_not_yours: {
    category: "permission",
    en: "This decision is not yours to give under this identity. The case keeps waiting.",
    zh: "以当前身份不能作出这个决定。案件继续等待。",
  },
  digest_mismatch: {
    category: "validation",
    en: "The digest is not that of the waiting proposal. Read it again with review-info.",
    zh: "摘要与等待中的方案不符。请用 review-info 重新查看。",
  },
  already_decided: {
    category: "business",
    en: "This proposal was already decided. Look at the case with inspect.",
    zh: "这个方案已有决定。请用 inspect 查看案件。",
  },
  approval_expired: {
    category: "business",
    en: "This proposal can no longer be approved: its 15 minutes are over or the order has changed. Run requote for a new one.",
    zh: "这个方案已不能批准：15 分钟已过，或订单已变化。请运行 requote 取得新方案。",
  },
  settlement_outcome_unknown: {
    category: "transient",
    en: "The refund was sent but no reply arrived, so it is unknown whether it was executed. Run resume: it asks again with the same key and can never pay twice.",
    zh: "退款已发出但没有收到回复，是否执行未知。请运行 resume：它会用同一个键再次询问，绝不会重复付款。",
  },
  receipt_mismatch: {
    category: "internal",
    en: "The receipt does not match the approved proposal ({fields}). The case is not completed; a human has to reconcile it.",
    zh: "收据与已批准的方案不符（{fields}）。案件未完成，需要人工核对。",
  },
} as const satisfies Record<string, ErrorEntry>;
