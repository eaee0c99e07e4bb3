/** Codes of the gate in front of the tools, of the documents and of the procedures. The English sentence is what a model reads. */
import type { ErrorEntry } from "./entry.js";

export const TOOL_ERRORS = {
  tool_budget_exhausted: {
    category: "business",
    en: "This case has used its 24 tool requests. Go on with what is known.",
    zh: "这个案件已用完 24 次工具请求。请依据已知内容继续。",
  },
  tool_not_allowed: { category: "permission", en: "There is no such tool.", zh: "没有这个工具。" },
  tool_not_granted: { category: "permission", en: "This role may not use tools.", zh: "该角色不能使用工具。" },
  arguments_not_json: {
    category: "validation",
    en: "The arguments are not valid JSON. Send one JSON object.",
    zh: "参数不是有效的 JSON。请发送一个 JSON 对象。",
  },
  arguments_not_an_object: {
    category: "validation",
    en: "The arguments must be one JSON object.",
    zh: "参数必须是一个 JSON 对象。",
  },
  invalid_arguments: {
    category: "validation",
    en: "The arguments do not match the tool's schema. Change them before calling again.",
    zh: "参数不符合工具的约定。请修改后再调用。",
  },
  call_id_not_unique: {
    category: "validation",
    en: "The call id is missing or was used before. Use a new id for each call.",
    zh: "调用编号缺失或已用过。每次调用请用新的编号。",
  },
  too_many_calls_in_turn: {
    category: "validation",
    en: "At most four calls are run in one turn. Ask again in the next turn.",
    zh: "一轮最多执行四次调用。请在下一轮再请求。",
  },
  repeated_call: {
    category: "validation",
    en: "This exact call was already made twice. Change the arguments or go on.",
    zh: "完全相同的调用已做过两次。请改变参数或继续。",
  },
  order_not_bound_to_case: {
    category: "permission",
    en: "This case is about another order, or about none. Only that order can be read.",
    zh: "本案涉及的是另一个订单，或不涉及订单。只能读取本案的订单。",
  },
  tool_timeout: {
    category: "transient",
    en: "The tool did not answer in time. What it would have read is unknown.",
    zh: "工具没有及时回答。它要读取的内容未知。",
  },
  tool_failed: {
    category: "internal",
    en: "The tool failed. Nothing is known about the result.",
    zh: "工具失败。结果未知。",
  },
  tool_result_too_large: {
    category: "business",
    en: "The record is too large to show. A human has to look at it.",
    zh: "记录过大，无法显示。需要人工查看。",
  },
  evidence_limit: {
    category: "business",
    en: "The case keeps no more passages. Go on with what is known.",
    zh: "本案不能再保存更多条款。请依据已知内容继续。",
  },
  note_limit: { category: "business", en: "The case keeps no more notes.", zh: "本案不能再保存更多备注。" },
  passage_not_accessible: {
    category: "permission",
    en: "There is no such passage among the terms in force.",
    zh: "现行条款中没有这一段。",
  },
  policy_page_not_accessible: {
    category: "internal",
    en: "A policy page that refunds rest on is not in force. No refund can be quoted.",
    zh: "退款所依据的条款页未生效。无法计算退款。",
  },
  rule_document_version_mismatch: {
    category: "internal",
    en: "The refund rules and the policy document have different versions. No refund can be quoted.",
    zh: "退款规则与条款文件的版本不一致。无法计算退款。",
  },
  unknown_skill: { category: "validation", en: "There is no such procedure.", zh: "没有这个流程。" },
} as const satisfies Record<string, ErrorEntry>;
