import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { createRehearsalModel } from "../../src/adapters/rehearsal-model.js";
import { INVESTIGATE_PROMPT } from "../../src/nodes/prompts/investigate.js";
import {
  ALL_TOOLS,
  candidateOf,
  functionTool,
  hostDefect,
  messagesOf,
  recordData,
  recordOf,
  runCase,
  verdictOf,
} from "./rehearsal-fixture.js";

const model = createRehearsalModel();
const PLAN = {
  intent: "refund",
  order_id: "QH-1001",
  action_requested: true,
  queries: ["return window"],
  milestones: [],
};
const BASE = {
  question: "Please refund QH-1001",
  language: "en",
  plan: PLAN,
  procedure: null,
  facts: [],
  evidence: [],
  quote: null,
  preferences: {},
  case_notes: [],
  open_points: [],
  turns_left: 7,
};
const ORDER = { source_id: "get_order:QH-1001", data: recordData("get_order", recordOf("QH-1001")) };

async function turn(change: Record<string, unknown>, options: { tools?: string[]; history?: BaseMessage[] } = {}) {
  const bound = model.bindTools((options.tools ?? ALL_TOOLS).map((name) => functionTool(name)));
  const reply = await bound.invoke([
    ...messagesOf(INVESTIGATE_PROMPT, { ...BASE, ...change }),
    ...(options.history ?? []),
  ]);
  return { calls: reply.tool_calls ?? [], names: (reply.tool_calls ?? []).map(({ name }) => name), text: reply.text };
}

function exchange(id: string, name: string, args: Record<string, unknown>, answer: unknown): BaseMessage[] {
  return [
    new AIMessage({ content: "", tool_calls: [{ id, name, args, type: "tool_call" }] }),
    new ToolMessage({ tool_call_id: id, content: JSON.stringify(answer) }),
  ];
}

describe("investigating", () => {
  it("reads the order and the terms first, with ids of its own for each call", async () => {
    const { calls } = await turn({});
    expect(calls.map(({ name, args }) => ({ name, args }))).toEqual([
      { name: "get_order", args: { order_id: "QH-1001" } },
      { name: "search_knowledge", args: { query: "return window" } },
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  it("never calls a tool that is not bound", async () => {
    expect((await turn({}, { tools: ["search_knowledge"] })).names).toEqual(["search_knowledge"]);
    const none = await turn({}, { tools: [] });
    expect(none.names).toEqual([]);
    expect(none.text).not.toBe("");
  });

  it("ends with a summary when its last turn has come", async () => {
    const last = await turn({ turns_left: 1 });
    expect(last.names).toEqual([]);
    expect(last.text).not.toBe("");
  });

  it("does not repeat what the data, the history or an open point has answered", async () => {
    const facts = [ORDER];
    expect((await turn({ facts })).names).toEqual(["search_knowledge"]);
    const searched = exchange(
      "call_1_1",
      "search_knowledge",
      { query: "return window" },
      { ok: true, result: { passages: [] } },
    );
    expect((await turn({ facts }, { history: searched })).names).toEqual(["calculate_refund"]);
    const open_points = [{ source: "calculate_refund:QH-1001", category: "transient", code: "tool_timeout" }];
    expect((await turn({ facts, open_points }, { history: searched })).names).toEqual([]);
  });

  it("goes on from the history alone when its results are not in the data", async () => {
    const history = [
      ...exchange("call_1_0", "get_order", { order_id: "QH-1001" }, { ok: true, result: ORDER }),
      ...exchange("call_2_0", "search_knowledge", { query: "return window" }, { ok: true, result: { passages: [] } }),
    ];
    const { calls } = await turn({}, { history });
    expect(calls.map(({ id, name }) => [id, name])).toEqual([["call_3_0", "calculate_refund"]]);
  });

  it("takes an answer that was cut off neither for a result nor for a failure", async () => {
    const cut = [
      new AIMessage({
        content: "",
        tool_calls: [{ id: "call_1_0", name: "get_order", args: { order_id: "QH-1001" }, type: "tool_call" }],
      }),
      new ToolMessage({ tool_call_id: "call_1_0", content: '{"ok":true,"result":{"sour…' }),
    ];
    const reply = await turn({ evidence: [], plan: { ...PLAN, queries: [] } }, { history: cut });
    expect(reply.names).toEqual([]);
    expect(reply.text).not.toContain("get_order");
  });

  it("stops when the order is not accessible or could not be read", async () => {
    for (const error of [
      { category: "permission", code: "order_not_accessible", retryable: false, message: "" },
      { category: "transient", code: "store_unreadable", retryable: true, message: "" },
    ]) {
      const history = exchange("call_1_0", "get_order", { order_id: "QH-1001" }, { ok: false, error });
      expect((await turn({}, { history })).names).toEqual([]);
    }
  });

  it("reads the invoice only when the question speaks of an amount, an invoice, freight or an explanation", async () => {
    const withInvoice = [
      "Please refund QH-1001 and explain it",
      "请给 QH-1001 退款，运费也退",
      "Please refund 141.00 for QH-1001",
    ];
    for (const question of withInvoice) {
      expect(
        (await runCase(question, { user: "alice", language: "en" })).turns[1]?.calls.map(({ name }) => name),
      ).toContain("get_invoice");
    }
    const plain = await runCase("Please refund QH-1001", { user: "alice", language: "en" });
    expect(plain.turns.flatMap(({ calls }) => calls.map(({ name }) => name))).not.toContain("get_invoice");
  });

  it.each([
    ["Where is QH-1005?", [["get_order", "get_shipment", "search_knowledge"]]],
    ["Which of my orders are on the way?", [["list_orders", "search_knowledge"]]],
    ["What does the invoice of QH-1009 say?", [["get_order", "get_invoice", "search_knowledge"]]],
    [
      "Why does the invoice of QH-1009 differ from my refund?",
      [["get_order", "get_invoice", "search_knowledge"], ["calculate_refund"]],
    ],
    ["Does QH-1012 have a warranty?", [["get_order", "search_knowledge"], ["get_product"]]],
    ["How long do I have for a return?", [["search_knowledge"]]],
    ["hello", []],
  ])('"%s" takes the calls its topic needs and no others', async (question, rounds) => {
    const { turns, answer } = await runCase(question, { user: "alice", language: "en" });
    expect(turns.map(({ calls }) => calls.map(({ name }) => name))).toEqual([...rounds, []]);
    expect(answer.nextAction).toBe("answer");
  });

  it.each([
    ["Where is QH-1005?", "en", "DEMO-1005"],
    ["QH-1006 到哪了？", "zh", "DEMO-1006"],
    ["Which of my orders are on the way?", "en", "QH-1005: shipped"],
    ["我一共有几单？哪些还没到？", "zh", "QH-1005：已发货"],
    ["Why does the invoice of QH-1009 differ from my refund?", "en", "CNY 80.00"],
    ["QH-1003 的发票金额和可退金额为什么不同？", "zh", "CNY 179.00"],
    ["QH-1012 has gone dark, does it have a warranty?", "en", "12 months"],
    ["QH-1007 杯子保修多久？", "zh", "6 个月"],
    ["How many days do I have for a return?", "en", "RETURNS"],
    ["普通商品几天内可以退？", "zh", "RETURNS"],
  ] as const)(
    '"%s" is answered from the records and terms, and passes every check',
    async (question, language, held) => {
      const run = await runCase(question, { user: "alice", language, pages: ["RETURNS:p02"] });
      expect(JSON.stringify(run.answer)).toContain(held);
      expect(run.answer.nextAction).toBe("answer");
      expect(hostDefect(run, language)).toBeNull();
      expect(await verdictOf(candidateOf(run))).toEqual({ verdict: "pass", feedback: "" });
    },
  );

  it("a question that the documents do not cover is answered honestly", async () => {
    for (const [question, language, words] of [
      ["What warranty covers lunar teleportation?", "en", /do not cover/],
      ["月球传送器保修多久？", "zh", /没有涵盖/],
    ] as const) {
      const run = await runCase(question, { user: "alice", language, covered: false });
      expect(run.answer).toMatchObject({ nextAction: "needs_input", citations: [] });
      expect(run.answer.answer).toMatch(words);
    }
  });
});
