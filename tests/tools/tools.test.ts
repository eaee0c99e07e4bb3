import { expect, test } from "vitest";
import { toolError } from "../../src/domain/errors.js";
import { orderToWire } from "../../src/domain/order.js";
import { callOf, codeOf, fakeKnowledge, goodOrder, passagesOf, toolBench } from "../support/ledger-tools.js";
import { alice, CASE_ID, order } from "../support/ledger-values.js";

const quoteCall = callOf("calculate_refund", { order_id: "QH-1001" });

test("a quote brings the order, itself and both mandatory pages into the case", async () => {
  const [answer] = await toolBench().dispatch([quoteCall]);
  if (answer?.outcome.kind !== "ok") throw new Error(codeOf(answer));
  const { result, gains } = answer.outcome;
  expect(result).toMatchObject({
    source_id: "calculate_refund:QH-1001",
    data: { eligible: true, amount_cents: 12_900, policy_pages: ["RETURNS:p02", "RETURNS:p03"] },
  });
  expect(gains.facts?.map(({ sourceId }) => sourceId)).toEqual(["get_order:QH-1001", "calculate_refund:QH-1001"]);
  expect(gains.passages?.mandatory).toBe(true);
  const pages = [...passagesOf("RETURNS:p02"), ...passagesOf("RETURNS:p03")].map(({ id }) => id);
  expect(gains.passages?.list.map(({ id }) => id)).toEqual(pages);
  expect(gains.quote).toMatchObject({ orderId: "QH-1001", eligible: true });
});

test("every quote reads the order afresh", async () => {
  const { dispatch, log } = toolBench();
  await dispatch([quoteCall]);
  await dispatch([{ ...quoteCall, id: "c2" }]);
  expect(log.filter((line) => line.startsWith("get_order"))).toHaveLength(2);
});

test("an order that cannot be quoted is an answer, with its reason and 0 cents", async () => {
  const { dispatch } = toolBench({ respond: () => ({ kind: "ok", data: orderToWire(order({ quantity: 3 })) }) });
  const [answer] = await dispatch([quoteCall]);
  expect(answer?.outcome).toMatchObject({
    kind: "ok",
    result: { data: { eligible: false, reason: "quantity_needs_human", amount_cents: 0 } },
  });
});

test.each(["order_not_accessible", "store_unreadable"] as const)("an order that is %s is not quoted", async (code) => {
  const { dispatch } = toolBench({ respond: () => ({ kind: "error", error: toolError(code) }) });
  expect((await dispatch([quoteCall])).map(codeOf)).toEqual([code]);
});

test("without its policy pages in the case's language there is no quote", async () => {
  const knowledge = { ...fakeKnowledge(), page: async () => ({ passages: [], header: null }) };
  expect((await toolBench({ knowledge }).dispatch([quoteCall])).map(codeOf)).toEqual(["policy_page_not_accessible"]);
});

test("a read becomes a fact under the name it can be cited by", async () => {
  const [read, list] = await toolBench().dispatch([
    callOf("get_order", { order_id: "qh-1001" }, "a"),
    callOf("list_orders", {}, "b"),
  ]);
  expect(read?.outcome).toMatchObject({ gains: { facts: [{ sourceId: "get_order:QH-1001" }] } });
  expect(list?.outcome).toMatchObject({ gains: { facts: [{ sourceId: "list_orders:current" }] } });
});

test("a search brings its passages, each with the id to cite and its score", async () => {
  const [answer] = await toolBench().dispatch([callOf("search_knowledge", { query: "parcel" })]);
  const passages = passagesOf("DELIVERY:p01");
  expect(answer?.outcome).toMatchObject({
    kind: "ok",
    result: { covered: true, passages: passages.map(({ id, body }) => ({ id, body, score: 1 })) },
    gains: { passages: { mandatory: false } },
  });
});

test.each([
  ["read_knowledge", { passage_id: "RETURNS_OLD:p99:en:0" }, "passage_not_accessible"],
  ["read_knowledge", { passage_id: "RETURNS:p02:zh:0" }, "passage_not_accessible"],
  ["load_skill", { name: "constructor" }, "unknown_skill"],
])("%s with %j is refused with %s", async (name, args, code) => {
  expect((await toolBench().dispatch([callOf(name, args)])).map(codeOf)).toEqual([code]);
});

test("a full notebook says so", async () => {
  const notes = { list: async () => [], add: async () => false };
  expect((await toolBench({ notes }).dispatch([callOf("save_case_note", { note: "n" })])).map(codeOf)).toEqual([
    "note_limit",
  ]);
});

test("a preference is the customer's own, and nothing saved is an answer", async () => {
  const asked: unknown[] = [];
  const preferences = {
    language: async (owner: unknown) => {
      asked.push(owner);
      return "zh" as const;
    },
  };
  const [saved] = await toolBench({ preferences }).dispatch([callOf("read_preferences", {})]);
  expect(saved?.outcome).toMatchObject({ result: { preferences: { language: "zh" } } });
  expect(asked).toEqual([alice]);
  const [none] = await toolBench().dispatch([callOf("read_preferences", {})]);
  expect(none?.outcome).toMatchObject({ kind: "ok", result: { preferences: {} } });
});

test("a tool's body never sees what its schema did not accept", async () => {
  const { tools } = toolBench({ respond: () => goodOrder });
  const options = { remainingMs: () => 1 };
  const context = { caseId: CASE_ID, applicant: alice, language: "en", intent: "refund", orderId: null } as const;
  for (const tool of tools) {
    await expect((async () => tool.run({ order_id: 7, surprise: 1 }, context, options))()).rejects.toThrow();
  }
});
