import { expect, test } from "vitest";
import { hostAnswer } from "../../src/domain/host-answers.js";
import { createPlan } from "../../src/nodes/plan.js";
import { caseState, nodeBench } from "../support/ledger-nodes.js";
import { procedures } from "../support/ledger-tools.js";
import { caseRow } from "../support/ledger-values.js";
import { type Script, says, saysJson } from "../support/scripted-model.js";

const PLAN = { intent: "refund", order_id: "QH-1001", action_requested: true, queries: ["refund"], milestones: [] };

function planning(script: Script, question = "Please refund QH-1001.", language: "zh" | "en" = "en") {
  const bench = nodeBench(script);
  const node = createPlan({ ask: bench.ask, procedures, cases: bench.cases });
  return { bench, run: () => node(caseState({ question, language, brief: null }), bench.unit) };
}

test("a plan is made with one charged request that sees the question and the procedures' names", async () => {
  const { bench, run } = planning([saysJson(PLAN)]);
  expect(await run()).toEqual({
    brief: { intent: "refund", orderId: "QH-1001", actionRequested: true, queries: ["refund"], milestones: [] },
    answer: null,
  });
  expect(bench.charged).toEqual(["model"]);
  expect(bench.model.calls[0]).toMatchObject({
    step: "plan",
    tools: [],
    data: { question: "Please refund QH-1001.", language: "en", skills: [{ name: "refund", description: "Refunds." }] },
  });
  expect(bench.updates).toEqual([{ orderId: "QH-1001" }]);
});

test.each([
  ["en", "Refund QH-1001 and QH-1002.", /separate message/],
  ["zh", "QH-1001 和 QH-1002 都退了吧", /只写一个订单号/],
] as const)(
  "in %s, two order numbers end in needs_input without a model request",
  async (language, question, words) => {
    const { bench, run } = planning([], question, language);
    expect(await run()).toEqual({
      answer: { answer: expect.stringMatching(words), citations: [], nextAction: "needs_input" },
    });
    expect([bench.charged, bench.model.calls]).toEqual([[], []]);
  },
);

test("one order number in two spellings is one order", async () => {
  const { run } = planning([saysJson(PLAN)], "QH-1001, I mean qh－１００１: refund it.");
  expect((await run()).brief?.orderId).toBe("QH-1001");
});

test.each([
  ["en", "Hello there!"],
  ["zh", "你好！"],
] as const)(
  "a greeting in %s gets the host's words, which state no facts and cite nothing",
  async (language, question) => {
    const { run } = planning(
      [saysJson({ ...PLAN, intent: "greeting", order_id: null, action_requested: false, queries: [] })],
      question,
      language,
    );
    const { answer } = await run();
    expect(answer).toMatchObject({ citations: [], nextAction: "answer" });
    expect(answer?.answer).not.toMatch(/\d{2}|CNY|元|天|days|warranty|保修/);
  },
);

test("a greeting plan cannot smuggle in a claim: the text is not the model's", async () => {
  const { run } = planning(
    [saysJson({ ...PLAN, intent: "greeting", order_id: null, milestones: ["10-year lunar warranty"] })],
    "Hi",
  );
  expect(JSON.stringify((await run()).answer)).not.toContain("lunar");
});

test("a refund without an order number asks for it; a question about refunds does not", async () => {
  const missing = { ...PLAN, order_id: null };
  expect((await planning([saysJson(missing)], "Refund my desk stand.").run()).answer).toMatchObject({
    nextAction: "needs_input",
  });
  expect(
    (await planning([saysJson({ ...missing, action_requested: false })], "How do refunds work?").run()).answer,
  ).toBeNull();
});

test("a plan that breaks its contract is asked for once more, and both requests are charged", async () => {
  const { bench, run } = planning([says("certainly!"), saysJson(PLAN)]);
  expect((await run()).brief?.intent).toBe("refund");
  expect(bench.charged).toEqual(["model", "model"]);
  expect(bench.notes.map(({ status, code }) => [status, code])).toContainEqual(["reply_refused", "invalid_json"]);
});

test.each([
  [says("certainly!"), "invalid_json"],
  [saysJson({ ...PLAN, intent: "pay" }), "invalid_plan"],
  [saysJson({ ...PLAN, order_id: "QH-9999" }), "invented_order_id"],
])("a plan that is wrong twice stops the phase with its code (%#)", async (wrong, code) => {
  const { bench, run } = planning([says("{}"), wrong]);
  await expect(run()).rejects.toMatchObject({ code });
  expect(bench.charged).toHaveLength(2);
});

test.each([
  ["I am just asking: could QH-1001 be refunded?", false],
  ["Do not refund QH-1001.", false],
  ["QH-1001 能退多少？", false],
  ["Refund QH-1001 now.", true],
  ["把 QH-1001 的钱退给我", true],
])("the plan says a refund was requested; for %s the host says %s", async (question, requested) => {
  const { run } = planning([saysJson(PLAN)], question);
  expect((await run()).brief?.actionRequested).toBe(requested);
});

test("the host never makes a request of what the model read as none", async () => {
  const { run } = planning([saysJson({ ...PLAN, action_requested: false })]);
  expect((await run()).brief?.actionRequested).toBe(false);
});

test("the order is read from the question, also when the plan forgot it", async () => {
  const { run } = planning([saysJson({ ...PLAN, order_id: null })]);
  expect((await run()).brief?.orderId).toBe("QH-1001");
});

test("without a request left nothing is sent", async () => {
  const { bench, run } = planning([saysJson(PLAN)]);
  bench.budget.left = 0;
  await expect(run()).rejects.toMatchObject({ code: "model_budget_exhausted" });
  expect(bench.model.calls).toEqual([]);
});

test.each([
  ["completed", "done"],
  ["needs_input", "done"],
  ["waiting_approval", "approve"],
  ["queued", "settle"],
] as const)("a case that is %s in phase %s is not planned again", async (status, phase) => {
  const { bench } = planning([]);
  const cases = {
    ...bench.cases,
    find: async () => caseRow({ status, phase, answer: hostAnswer("not_confirmed", "en") }),
  };
  const node = createPlan({ ask: bench.ask, procedures, cases });
  await expect(node(caseState(), bench.unit)).rejects.toMatchObject({ code: "case_ended" });
  expect([bench.charged, bench.updates]).toEqual([[], []]);
});
