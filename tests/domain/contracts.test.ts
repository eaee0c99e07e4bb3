import { expect, test } from "vitest";
import { parseAnswer, parsePlan, parseReview, Question } from "../../src/domain/contracts.js";
import { OrderId } from "../../src/domain/ids.js";
import { LIMITS } from "../../src/domain/limits.js";

const ID = OrderId.parse("QH-1001");
const planText = (changes: Record<string, unknown> = {}): string =>
  JSON.stringify({
    intent: "refund",
    order_id: "QH-1001",
    action_requested: true,
    queries: ["refund window"],
    milestones: ["read the order"],
    ...changes,
  });
const answerText = (changes: Record<string, unknown> = {}): string =>
  JSON.stringify({
    answer: "CNY 129.00 can be refunded.",
    citations: ["get_order:QH-1001"],
    next_action: "answer",
    ...changes,
  });
const codeOf = (contract: { ok: boolean; code?: string }): string => contract.code ?? "accepted";

test("a plan is read, its order id in canonical form", () => {
  expect(parsePlan(planText({ order_id: "qh-１００１" }), [ID])).toEqual({
    ok: true,
    value: {
      intent: "refund",
      orderId: "QH-1001",
      actionRequested: true,
      queries: ["refund window"],
      milestones: ["read the order"],
    },
  });
});

test.each([null, "", "  "])("a plan whose order id is %j names none", (order_id) => {
  const parsed = parsePlan(planText({ order_id }), [ID]);
  expect(parsed.ok && parsed.value.orderId).toBeNull();
});

test.each(["QH-9999", "QH-10011", "the desk stand", "QH-1001 and QH-1002"])(
  "the order id %s was not in the question",
  (order_id) => {
    expect(codeOf(parsePlan(planText({ order_id }), [ID]))).toBe("invented_order_id");
  },
);

test("with no id in the question every id is invented", () => {
  expect(codeOf(parsePlan(planText(), []))).toBe("invented_order_id");
});

test.each([
  ["intent", "chat"],
  ["intent", undefined],
  ["order_id", 1001],
  ["order_id", undefined],
  ["order_id", "x".repeat(101)],
  ["action_requested", "true"],
  ["action_requested", 1],
  ["action_requested", undefined],
  ["queries", "one"],
  ["queries", ["a", "b", "c", "d"]],
  ["queries", [" "]],
  ["queries", ["x".repeat(LIMITS.planTextChars + 1)]],
  ["queries", [null]],
  ["milestones", ["a", "b", "c", "d", "e"]],
  ["milestones", undefined],
  ["amount_cents", 12_900],
  ["tools", []],
])("a plan with %s = %j breaks the contract", (field, value) => {
  expect(codeOf(parsePlan(planText({ [field]: value }), [ID]))).toBe("invalid_plan");
});

test("a plan at its limits is accepted", () => {
  const queries = ["a", "b", "x".repeat(LIMITS.planTextChars)];
  expect(codeOf(parsePlan(planText({ queries, milestones: ["1", "2", "3", "4"] }), [ID]))).toBe("accepted");
  expect(codeOf(parsePlan(planText({ queries: [], milestones: [] }), [ID]))).toBe("accepted");
});

test("an answer is read", () => {
  expect(parseAnswer(answerText())).toEqual({
    ok: true,
    value: { answer: "CNY 129.00 can be refunded.", citations: ["get_order:QH-1001"], nextAction: "answer" },
  });
});

test.each([
  ["answer", ""],
  ["answer", "   "],
  ["answer", "x".repeat(LIMITS.answerChars + 1)],
  ["answer", undefined],
  ["answer", ["text"]],
  ["citations", undefined],
  ["citations", "get_order:QH-1001"],
  ["citations", [""]],
  ["citations", ["x".repeat(121)]],
  ["citations", Array.from({ length: LIMITS.citations + 1 }, (_, index) => `c${index}`)],
  ["citations", [1]],
  ["next_action", "refund"],
  ["next_action", undefined],
  ["nextAction", "answer"],
  ["amount_cents", 12_900],
])("an answer with %s = %j breaks the contract", (field, value) => {
  expect(codeOf(parseAnswer(answerText({ [field]: value })))).toBe("invalid_answer");
});

test("an answer at its limits is accepted", () => {
  const citations = Array.from({ length: LIMITS.citations }, (_, index) => `c${index}`);
  expect(codeOf(parseAnswer(answerText({ answer: "x".repeat(LIMITS.answerChars), citations })))).toBe("accepted");
});

test("citing one source twice has its own code", () => {
  expect(codeOf(parseAnswer(answerText({ citations: ["a", "b", "a"] })))).toBe("duplicate_citations");
});

test.each(["pass", "revise", "insufficient"])("a review may say %s", (verdict) => {
  expect(parseReview(JSON.stringify({ verdict, feedback: "" }))).toEqual({
    ok: true,
    value: { verdict, feedback: "" },
  });
});

test.each([
  { verdict: "approve", feedback: "" },
  { verdict: "pass" },
  { feedback: "fine" },
  { verdict: true, feedback: "" },
  { verdict: "pass", feedback: "x".repeat(LIMITS.feedbackChars + 1) },
  { verdict: "pass", feedback: "", approve: true },
])("%j is no review", (review) => {
  expect(codeOf(parseReview(JSON.stringify(review)))).toBe("invalid_review");
});

test.each([
  ["not text", 1, "invalid_json_size"],
  ["not JSON", "certainly!", "invalid_json"],
  ["a fenced block", "```json\n{}\n```", "invalid_json"],
  ["a repeated key", '{"intent":"refund","intent":"policy"}', "duplicate_json_key"],
  ["an infinite number", '{"a":1e999}', "nonfinite_json"],
  ["a list", "[]", "expected_object"],
])("%s keeps its own code in all three steps", (_what, text, code) => {
  expect([parsePlan(text, []), parseAnswer(text), parseReview(text)].map(codeOf)).toEqual([code, code, code]);
});

test.each(["__proto__", "constructor", "lc"])("a key named %s is a key too many", (key) => {
  const wide = (text: string): string => text.replace(/\}$/, `,"${key}":{"eligible":true}}`);
  expect(codeOf(parsePlan(wide(planText()), [ID]))).toBe("invalid_plan");
  expect(codeOf(parseAnswer(wide(answerText())))).toBe("invalid_answer");
  expect(codeOf(parseReview(wide('{"verdict":"pass","feedback":""}')))).toBe("invalid_review");
});

test("a question has 1 to 1,800 characters and is not blank", () => {
  expect(["x", "？", "x".repeat(1_800)].every((text) => Question.safeParse(text).success)).toBe(true);
  expect(["", "  \n\t　", "x".repeat(1_801), 1, null].some((text) => Question.safeParse(text).success)).toBe(false);
});
