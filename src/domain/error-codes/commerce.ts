/** Codes of the commerce process and of the line to it. */
import type { ErrorEntry } from "./entry.js";

export const COMMERCE_ERRORS = {
  order_not_accessible: {
    category: "permission",
    en: "This order is not accessible to this customer. Check the number, or ask a human.",
    zh: "该顾客无法访问这个订单。请核对订单号，或转人工。",
  },
  product_not_found: {
    category: "business",
    en: "The catalogue has no product with this SKU.",
    zh: "商品目录中没有这个 SKU。",
  },
  ticket_not_accessible: {
    category: "permission",
    en: "This ticket is not accessible to this customer.",
    zh: "该顾客无法访问这个工单。",
  },
  idempotency_conflict: {
    category: "business",
    en: "This key was already used for something else. Use a new key for a new action.",
    zh: "这个键已用于别的内容。新的操作请用新的键。",
  },
  store_unreadable: {
    category: "transient",
    en: "The record could not be read just now; its state is unknown. Try again later.",
    zh: "暂时无法读取该记录，其状态未知。请稍后再试。",
  },
  commerce_unavailable: {
    category: "transient",
    en: "The commerce service cannot be reached; the state of its records is unknown. Try again later.",
    zh: "无法连接商务服务，其中记录的状态未知。请稍后再试。",
  },
  commerce_not_started: {
    category: "transient",
    en: "The commerce service did not start ({detail}); the state of its records is unknown. Put that right and run the command again.",
    zh: "商务服务未能启动（{detail}），其中记录的状态未知。请解决后重新运行。",
  },
  outcome_unknown: {
    category: "transient",
    en: "The reply of the commerce service was lost; what it did is unknown.",
    zh: "商务服务的回复丢失，其处理结果未知。",
  },
  invalid_commerce_result: {
    category: "internal",
    en: "The commerce service answered in a form that is not allowed.",
    zh: "商务服务的回答不符合约定的格式。",
  },
  mcp_contract_changed: {
    category: "internal",
    en: "The commerce service offers other tools than this program was built for ({detail}). Install matching versions.",
    zh: "商务服务提供的工具与本程序不符（{detail}）。请安装相匹配的版本。",
  },
  service_failed: {
    category: "internal",
    en: "The commerce service failed. Nothing is known about the result.",
    zh: "商务服务出错。结果未知。",
  },
  output_contract_broken: {
    category: "internal",
    en: "The commerce service produced an answer that breaks its own contract.",
    zh: "商务服务的回答违反了它自己的约定。",
  },
  grant_invalid: {
    category: "permission",
    en: "The approval's signature is not valid. Nothing was paid.",
    zh: "审批签名无效。没有付款。",
  },
  grant_other_approval: {
    category: "permission",
    en: "The grant belongs to another approval. Nothing was paid.",
    zh: "授权属于另一个审批。没有付款。",
  },
  reviewer_revoked: {
    category: "permission",
    en: "The approver is no longer a reviewer of this merchant. Nothing was paid.",
    zh: "审批人已不是该商户的审核员。没有付款。",
  },
  quote_changed: {
    category: "business",
    en: "The order or the terms have changed since the approval. Nothing was paid; ask for a new quote.",
    zh: "审批之后订单或条款已变化。没有付款；请重新报价。",
  },
} as const satisfies Record<string, ErrorEntry>;
