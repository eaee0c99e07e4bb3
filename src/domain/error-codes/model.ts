/** Codes of the model and of what it returns. */
import type { ErrorEntry } from "./entry.js";

export const MODEL_ERRORS = {
  model_not_configured: {
    category: "validation",
    en: "No live model is configured: {missing} is not set. Set it, or use --model rehearsal, which needs no key.",
    zh: "没有配置在线模型：缺少 {missing}。请设置它，或使用不需要密钥的 --model rehearsal。",
  },
  model_settings_invalid: {
    category: "validation",
    en: "{variable} cannot be used: {detail}. Correct it; aftersales doctor shows where each setting comes from.",
    zh: "{variable} 无法使用（{detail}）。请改正；aftersales doctor 会显示每项设置的来源。",
  },
  model_unavailable: {
    category: "transient",
    en: "The model endpoint did not give a usable reply. Run resume with --retry later.",
    zh: "模型接口没有给出可用的回复。请稍后运行 resume --retry。",
  },
  model_request_timeout: {
    category: "transient",
    en: "The model did not answer within 40 seconds. Run resume with --retry later.",
    zh: "模型在 40 秒内没有回答。请稍后运行 resume --retry。",
  },
  model_refused: {
    category: "validation",
    en: "The model endpoint refused the request (key, balance or parameters). Check the configuration, then resume with --retry.",
    zh: "模型接口拒绝了请求（密钥、余额或参数）。请检查配置后运行 resume --retry。",
  },
  invalid_model_output: {
    category: "transient",
    en: "The model's reply was empty or cut off. Run resume with --retry.",
    zh: "模型的回复为空或被截断。请运行 resume --retry。",
  },
  model_budget_exhausted: {
    category: "business",
    en: "This case has used its 20 model requests. Open a new case or ask a human.",
    zh: "这个案件已用完 20 次模型请求。请另开新案或转人工。",
  },
  context_too_large: {
    category: "internal",
    en: "What the model needs to see does not fit into 36,000 characters. Ask a shorter question in a new case.",
    zh: "需要给模型看的内容超过 36000 个字符。请在新案中缩短问题。",
  },
  invalid_json_size: {
    category: "validation",
    en: "The text is not JSON of an allowed size.",
    zh: "文本不是允许大小的 JSON。",
  },
  invalid_json: { category: "validation", en: "The text is not valid JSON.", zh: "文本不是有效的 JSON。" },
  nonfinite_json: {
    category: "validation",
    en: "JSON must not hold NaN or infinite numbers.",
    zh: "JSON 中不得有 NaN 或无穷大。",
  },
  duplicate_json_key: { category: "validation", en: "A JSON object repeats a key.", zh: "JSON 对象中有重复的键。" },
  expected_object: { category: "validation", en: "The JSON must be one object.", zh: "JSON 必须是一个对象。" },
  invalid_plan: { category: "validation", en: "The plan does not follow its contract.", zh: "计划不符合约定的格式。" },
  invented_order_id: {
    category: "validation",
    en: "The plan names an order that the question does not.",
    zh: "计划中的订单号没有出现在问题里。",
  },
  invalid_answer: {
    category: "validation",
    en: "The answer does not follow its contract.",
    zh: "回答不符合约定的格式。",
  },
  duplicate_citations: {
    category: "validation",
    en: "The answer cites one source twice.",
    zh: "回答重复引用了同一来源。",
  },
  citation_not_in_context: {
    category: "validation",
    en: "The answer cites something it was not shown.",
    zh: "回答引用了没有提供给它的来源。",
  },
  evidence_required: {
    category: "validation",
    en: "The answer must cite at least one source.",
    zh: "回答至少要引用一个来源。",
  },
  amount_not_in_evidence: {
    category: "validation",
    en: "The answer names an amount that no record, quote or cited passage holds.",
    zh: "回答中的金额不见于任何记录、报价或所引条款。",
  },
  payment_claimed: {
    category: "validation",
    en: "The answer says that money has moved, but there is no receipt.",
    zh: "回答声称款项已动，但没有收据。",
  },
  greeting_with_facts: {
    category: "validation",
    en: "A greeting must not state policy, product or money facts.",
    zh: "问候中不得陈述条款、商品或金额。",
  },
  wrong_language: {
    category: "validation",
    en: "The answer is not in the case's language.",
    zh: "回答没有使用案件的语言。",
  },
  proposal_requirements_missing: {
    category: "validation",
    en: "A refund was requested without everything a proposal needs.",
    zh: "请求退款时缺少方案所需的条件。",
  },
  invalid_review: {
    category: "validation",
    en: "The review does not follow its contract.",
    zh: "复核不符合约定的格式。",
  },
} as const satisfies Record<string, ErrorEntry>;
