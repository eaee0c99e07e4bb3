import { expect, test } from "vitest";
import { textHash } from "../../src/domain/canonical.js";
import { toolError } from "../../src/domain/errors.js";
import { addPassages } from "../../src/domain/evidence.js";
import { LIMITS } from "../../src/domain/limits.js";
import type { InvestigateState } from "../../src/nodes/case-state.js";
import { createAct } from "../../src/nodes/investigate-act.js";
import { createThink } from "../../src/nodes/investigate-think.js";
import { modelSpecs } from "../../src/tools/model-specs.js";
import { createRegistry } from "../../src/tools/registry.js";
import { investigateState, nodeBench } from "../support/ledger-nodes.js";
import { type Respond, toolBench } from "../support/ledger-tools.js";
import { asksFor, type Script, says } from "../support/scripted-model.js";

function investigation(script: Script, respond?: Respond) {
  const bench = nodeBench(script);
  const tools = toolBench(respond === undefined ? {} : { respond });
  const think = createThink({ ...bench.briefing, specs: async () => modelSpecs(createRegistry(tools.tools)) });
  const act = createAct({
    dispatch: ({ calls, ...changes }) => tools.dispatch(calls, changes),
  });
  /** The loop as the graph runs it. */
  async function run(start: InvestigateState = investigateState()): Promise<InvestigateState> {
    let state = start;
    for (;;) {
      state = { ...state, ...(await think(state, bench.unit)) };
      if (state.finished || state.pending.length === 0) return state;
      state = { ...state, ...(await act(state, bench.unit)) };
      if (state.finished) return state;
    }
  }
  return { bench, tools, think, act, run };
}
const get = (id: string, order_id = "QH-1001") => ({ id, name: "get_order", args: { order_id } });

test("a turn that asks for nothing ends the investigation", async () => {
  const { bench, run } = investigation([asksFor(get("a")), says("The order is eligible.")]);
  const state = await run();
  expect(state).toMatchObject({ finished: true, turns: 2, said: "The order is eligible." });
  expect(state.facts.map(({ sourceId }) => sourceId)).toEqual(["get_order:QH-1001"]);
  expect(bench.charged).toEqual(["model", "model"]);
});

test("a model that never stops has seven turns; the last is offered no tools and everything found is kept", async () => {
  const { bench, tools, run } = investigation((_call, count) =>
    asksFor({ id: `t${count}`, name: "search_knowledge", args: { query: `q${count}` } }),
  );
  const state = await run();
  expect(bench.model.calls.map((call) => call.tools.length)).toEqual([12, 12, 12, 12, 12, 12, 0]);
  expect(bench.model.calls.map(({ data }) => data.turns_left)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(state).toMatchObject({ finished: true, turns: LIMITS.investigationTurns, pending: [] });
  expect(state.transcript).toHaveLength(6);
  expect(state.evidence.length).toBeGreaterThan(0);
  expect(tools.log.filter((line) => line.startsWith("charge"))).toHaveLength(6);
});

test("a reply of nothing but malformed calls gets its answers and the investigation goes on", async () => {
  const { bench, run } = investigation([
    asksFor({ id: "bad", name: "get_order", args: '{"order_id":' }),
    asksFor(get("good")),
    says("done"),
  ]);
  const state = await run();
  expect(state.turns).toBe(3);
  expect(state.transcript[0]?.calls[0]?.answer).toEqual({
    kind: "text",
    ok: false,
    content: JSON.stringify({ ok: false, error: toolError("arguments_not_json") }),
  });
  const roles = bench.model.calls[1]?.messages.map((message) => message.getType());
  expect(roles).toEqual(["system", "human", "ai", "tool"]);
});

test.each<[string, Parameters<typeof asksFor>, string[]]>([
  ["malformed arguments", [{ id: "a", name: "get_order", args: "{" }], ["arguments_not_json"]],
  ["empty arguments", [{ id: "a", name: "get_order", args: "" }], ["arguments_not_json"]],
  [
    "a fifth call",
    ["a", "b", "c", "d", "e"].map((id) => ({ id, name: "search_knowledge", args: { query: id } })),
    ["too_many_calls_in_turn"],
  ],
  [
    "an infinite number",
    [{ id: "a", name: "get_order", args: { order_id: Number.POSITIVE_INFINITY } }],
    ["arguments_not_json"],
  ],
  ["an unknown tool", [{ id: "a", name: "execute_refund", args: {} }], ["tool_not_allowed"]],
])("%s is told to the model, charged once per call, and ends nothing", async (_what, calls, codes) => {
  const { tools, run } = investigation([asksFor(...calls), says("done")]);
  const state = await run();
  const contents = state.transcript[0]?.calls.map(({ answer }) =>
    answer.kind === "text" && !answer.ok ? JSON.parse(answer.content).error.code : "ok",
  );
  expect(contents?.filter((code) => code !== "ok")).toEqual(codes);
  expect(tools.log[0]).toBe(`charge tool ${calls.length}`);
  expect(state.finished).toBe(true);
});

test("an id that was used in an earlier turn is refused, and both answers keep ids of their own", async () => {
  const { run } = investigation([asksFor(get("a")), asksFor({ id: "a", name: "list_orders", args: {} }), says("done")]);
  const { transcript } = await run();
  const ids = transcript.flatMap(({ calls }) => calls.map(({ id }) => id));
  expect(new Set(ids).size).toBe(2);
  expect(transcript[1]?.calls[0]?.answer).toMatchObject({
    ok: false,
    content: expect.stringContaining("call_id_not_unique"),
  });
});

test("the third call with the same arguments is refused across turns", async () => {
  const { run } = investigation((_call, count) => (count < 3 ? asksFor(get(`t${count}`)) : says("done")));
  const { transcript } = await run();
  expect(transcript.map(({ calls }) => calls[0]?.answer.kind)).toEqual(["fact", "fact", "text"]);
});

test("an exhausted budget ends the investigation with what is known", async () => {
  const { tools, run } = investigation([asksFor(get("a"), get("b"))]);
  tools.budget.left = 1;
  const state = await run();
  expect(state.finished).toBe(true);
  expect(state.facts).toHaveLength(1);
});

test("what could not be read is an open point until it is read after all", async () => {
  let readable = false;
  const respond: Respond = () =>
    readable ? { kind: "ok", data: {} } : { kind: "error", error: toolError("store_unreadable") };
  const { run, act, bench } = investigation([asksFor(get("a")), says("done")], respond);
  const state = await run();
  expect(state.openPoints).toEqual([{ source: "get_order:QH-1001", category: "transient", code: "store_unreadable" }]);
  readable = true;
  const pending = [{ id: "b", name: "get_order", args: '{"order_id":"QH-1001"}', malformed: false }];
  expect((await act({ ...state, pending }, bench.unit)).openPoints).toEqual([]);
});

test("a model's own mistake is no open point", async () => {
  const { run } = investigation([asksFor({ id: "a", name: "get_order", args: { order: "QH-1001" } }), says("done")]);
  expect((await run()).openPoints).toEqual([]);
});

test("a full evidence store refuses a search and changes nothing, but a quote still finds room", async () => {
  const many = Array.from({ length: 32 }, (_, index) => ({
    id: `OTHER:p${10 + index}:en:0`,
    version: "1",
    textHash: textHash(String(index)),
  }));
  const evidence = addPassages([], many, { mandatory: false }) ?? [];
  const { run } = investigation([
    asksFor({ id: "a", name: "search_knowledge", args: { query: "x" } }),
    asksFor({ id: "b", name: "calculate_refund", args: { order_id: "QH-1001" } }),
    says("done"),
  ]);
  const state = await run(investigateState({ evidence }));
  expect(state.transcript[0]?.calls[0]?.answer).toMatchObject({
    ok: false,
    content: expect.stringContaining("evidence_limit"),
  });
  expect(state.quote).toMatchObject({ eligible: true, amountCents: 12_900 });
  expect(state.evidence).toHaveLength(32);
  expect(state.evidence.filter(({ mandatory }) => mandatory).map(({ id }) => id.slice(0, 11))).toEqual([
    ...Array(3).fill("RETURNS:p02"),
    ...Array(3).fill("RETURNS:p03"),
  ]);
});

test("causes go to the log and not to the model", async () => {
  const { bench, run } = investigation([asksFor(get("a")), says("done")], () =>
    Promise.reject(new Error("/srv/secret token=abc")),
  );
  const state = await run();
  expect(bench.notes).toContainEqual(expect.objectContaining({ code: "tool_failed", cause: "/srv/secret token=abc" }));
  expect(
    JSON.stringify([state, bench.model.calls.map(({ messages }) => messages.map(({ text }) => text))]),
  ).not.toContain("secret");
});

test("a summary is kept in its limit and the model is shown the procedure of its case", async () => {
  const { bench, run } = investigation([says("x".repeat(5_000))]);
  expect((await run()).said).toHaveLength(LIMITS.summaryChars);
  expect(bench.model.calls[0]?.data).toMatchObject({
    procedure: "How to refund.",
    plan: { intent: "refund" },
    case_notes: [],
  });
});
