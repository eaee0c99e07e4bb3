import { expect, test } from "vitest";
import { addFact, addPassages } from "../../src/domain/evidence.js";
import { hostAnswer } from "../../src/domain/host-answers.js";
import { orderToWire } from "../../src/domain/order.js";
import { quoteToWire } from "../../src/domain/refund-policy.js";
import type { ReviewState } from "../../src/nodes/case-state.js";
import { createCompose } from "../../src/nodes/compose.js";
import { createCritique } from "../../src/nodes/critique.js";
import { nodeBench, reviewState } from "../support/ledger-nodes.js";
import { passagesOf } from "../support/ledger-tools.js";
import { order, plan, quote } from "../support/ledger-values.js";
import { type Script, says, saysJson } from "../support/scripted-model.js";

const GOOD = {
  answer: "CNY 129.00 can be refunded after a reviewer's approval.",
  citations: ["RETURNS:p02:en:0", "RETURNS:p03:en:0"],
  next_action: "request_refund",
};
const CLAIM = { ...GOOD, answer: "CNY 141.00 has arrived in your account." };
const PASS = { verdict: "pass", feedback: "" };
const REVISE = { verdict: "revise", feedback: "Say that freight is not refunded." };
const mandatory = [...passagesOf("RETURNS:p02"), ...passagesOf("RETURNS:p03")];
const found = (): Partial<ReviewState> => ({
  quote: quote(),
  facts: addFact(
    addFact([], "get_order:QH-1001", orderToWire(order())),
    "calculate_refund:QH-1001",
    quoteToWire(quote()),
  ),
  evidence: addPassages([], mandatory, { mandatory: true }) ?? [],
});

function reviewing(script: Script) {
  const bench = nodeBench(script);
  const compose = createCompose(bench.briefing);
  const critique = createCritique(bench.briefing);
  /** The loop as the graph runs it. */
  async function run(changes: Partial<ReviewState> = found()): Promise<ReviewState> {
    let state = reviewState(changes);
    while (state.answer === null) {
      const node = state.candidate === null ? compose : critique;
      state = { ...state, ...(await node(state, bench.unit)) };
    }
    return state;
  }
  return { bench, run, steps: () => bench.model.calls.map(({ step }) => step) };
}

test("a good answer is reviewed once and delivered as it is", async () => {
  const { run, steps, bench } = reviewing([saysJson(GOOD), saysJson(PASS)]);
  expect((await run()).answer).toEqual({
    answer: GOOD.answer,
    citations: GOOD.citations,
    nextAction: "request_refund",
  });
  expect(steps()).toEqual(["compose", "critique"]);
  expect(bench.charged).toEqual(["model", "model"]);
});

test.each([
  ["code refuses it", CLAIM],
  ["it breaks the contract", { answer: "x" }],
])("when %s, an answer is rewritten once with what is wrong", async (_what, bad) => {
  const { run, steps, bench } = reviewing([saysJson(bad), saysJson(GOOD), saysJson(PASS)]);
  expect((await run()).answer?.answer).toBe(GOOD.answer);
  expect(steps()).toEqual(["compose", "compose", "critique"]);
  expect(bench.model.calls.map(({ data }) => data.feedback ?? null)).toEqual([null, expect.any(String), null]);
});

test.each(["revise", "insufficient"])(
  "a review of %s sends the answer back once, with its feedback",
  async (verdict) => {
    const { run, steps, bench } = reviewing([
      saysJson(GOOD),
      saysJson({ ...REVISE, verdict }),
      saysJson(GOOD),
      saysJson(PASS),
    ]);
    expect((await run()).answer?.answer).toBe(GOOD.answer);
    expect(steps()).toEqual(["compose", "critique", "compose", "critique"]);
    expect(bench.model.calls[2]?.data.feedback).toBe(REVISE.feedback);
  },
);

test.each<[string, Script, string]>([
  ["twice refused by code", [saysJson(CLAIM), saysJson(CLAIM)], "amount_not_in_evidence"],
  [
    "twice sent back by the review",
    [saysJson(GOOD), saysJson(REVISE), saysJson(GOOD), saysJson(REVISE)],
    "invalid_answer",
  ],
  ["refused by code, then sent back", [saysJson(CLAIM), saysJson(GOOD), saysJson(REVISE)], "invalid_answer"],
  ["sent back, then refused by code", [saysJson(GOOD), saysJson(REVISE), saysJson(CLAIM)], "amount_not_in_evidence"],
  ["twice no JSON", [says("sure!"), says("sure!")], "invalid_json"],
])("an answer that is %s ends by asking for a human, in the host's words", async (_what, script, problem) => {
  const { run } = reviewing(script);
  expect(await run()).toMatchObject({ answer: hostAnswer("not_confirmed", "en"), candidate: null, problem });
});

test("a malformed review is asked for once more and charged", async () => {
  const { run, steps, bench } = reviewing([saysJson(GOOD), says("looks fine to me"), saysJson(PASS)]);
  expect((await run()).answer?.nextAction).toBe("request_refund");
  expect(steps()).toEqual(["compose", "critique", "critique"]);
  expect(bench.charged).toHaveLength(3);
});

test("a review that is malformed twice is never a pass", async () => {
  const { run } = reviewing([saysJson(GOOD), says("pass"), saysJson({ verdict: "approve", feedback: "" })]);
  expect(await run()).toMatchObject({ answer: hostAnswer("not_confirmed", "en"), problem: "invalid_review" });
});

test("the review sees question, evidence and candidate, and neither tools, plan nor feedback", async () => {
  const { run, bench } = reviewing([saysJson(GOOD), saysJson(PASS)]);
  await run();
  const review = bench.model.calls[1];
  expect(Object.keys(review?.data ?? {}).sort()).toEqual(["candidate", "evidence", "facts", "question"]);
  expect(review?.tools).toEqual([]);
  expect(review?.messages).toHaveLength(2);
});

test("an answer may cite what it was shown and nothing else", async () => {
  const foreign = { ...GOOD, citations: ["RETURNS_OLD:p01:en:0"] };
  const { run } = reviewing([saysJson(foreign), saysJson({ ...GOOD, citations: ["get_order:QH-1002"] })]);
  expect(await run()).toMatchObject({ problem: "citation_not_in_context" });
});

test("a proposal needs its request: what the plan did not see, no answer can ask for", async () => {
  const { run } = reviewing([saysJson(GOOD), saysJson(GOOD)]);
  expect(await run({ ...found(), brief: plan({ actionRequested: false }) })).toMatchObject({
    problem: "proposal_requirements_missing",
  });
});

const point = (code: string, category: "permission" | "transient") => [{ source: "get_order:QH-1001", code, category }];

test.each(["en", "zh"] as const)(
  "in %s, an order without access is answered by the host, without a model",
  async (language) => {
    const { run, bench } = reviewing([]);
    const state = await run({ language, openPoints: point("order_not_accessible", "permission") });
    expect(state).toMatchObject({
      answer: hostAnswer("order_not_accessible", language),
      problem: "order_not_accessible",
    });
    expect(bench.charged).toEqual([]);
  },
);

test("an order that could not be read is unknown, not absent, and no model words it", async () => {
  const { run, bench } = reviewing([]);
  const { answer, problem } = await run({ openPoints: point("store_unreadable", "transient") });
  expect(problem).toBe("store_unreadable");
  expect(answer).toEqual(hostAnswer("order_unreadable", "en"));
  expect(answer?.answer).toMatch(/unknown/);
  expect(bench.charged).toEqual([]);
});

test("an order that was read before stays known when a later read fails", async () => {
  const { run, steps } = reviewing([saysJson(GOOD), saysJson(PASS)]);
  await run({ ...found(), openPoints: point("store_unreadable", "transient") });
  expect(steps()).toEqual(["compose", "critique"]);
});

test("an open point about something else leaves the answer to the model", async () => {
  const { run, steps } = reviewing([saysJson(GOOD), saysJson(PASS)]);
  await run({
    ...found(),
    openPoints: [{ source: "get_ticket:T-1", code: "ticket_not_accessible", category: "permission" }],
  });
  expect(steps()).toEqual(["compose", "critique"]);
});

test("without a model request left the phase stops with its code", async () => {
  const { run, bench } = reviewing([saysJson(GOOD)]);
  bench.budget.left = 1;
  await expect(run()).rejects.toMatchObject({ code: "model_budget_exhausted" });
});
