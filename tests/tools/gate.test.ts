import { expect, test } from "vitest";
import { AftersalesError, toolError } from "../../src/domain/errors.js";
import type { RawToolCall, ReadOutcome } from "../../src/domain/ports.js";
import { MODEL_TOOLS } from "../../src/tools/allowlist.js";
import { createDispatch } from "../../src/tools/dispatch.js";
import { createRegistry } from "../../src/tools/registry.js";
import { callOf, codeOf, GOOD_ARGUMENTS, goodOrder, type Respond, toolBench } from "../support/ledger-tools.js";
import { alice, CASE_ID, ORDER_ID } from "../support/ledger-values.js";

const unreadable: ReadOutcome = { kind: "error", error: toolError("store_unreadable") };
const get = (order_id: unknown, id?: string): RawToolCall => callOf("get_order", { order_id }, id);

test.each(MODEL_TOOLS)("%s runs and answers once", async (name) => {
  const { dispatch } = toolBench();
  const [answer, ...more] = await dispatch([callOf(name, GOOD_ARGUMENTS[name])]);
  expect(codeOf(answer)).toBe("ok");
  expect(answer).toMatchObject({ id: "c1", name });
  expect(more).toEqual([]);
});

test("all calls of a turn are charged once, before any of them runs", async () => {
  const { dispatch, log } = toolBench();
  await dispatch([get("QH-1001", "a"), callOf("list_orders", {}, "b"), callOf("save_case_note", { note: "n" }, "c")]);
  expect(log).toEqual(["charge tool 3", 'get_order {"order_id":"QH-1001"}', "list_orders {}", "note n"]);
});

test("refused calls are charged as well, whatever is wrong with them", async () => {
  const { dispatch, log, budget } = toolBench();
  await dispatch([
    callOf("pay", {}, "a"),
    callOf("get_order", 7, "b"),
    get("QH-9999", "c"),
    get("QH-1001", ""),
    get("x", "e"),
  ]);
  expect(log).toEqual(["charge tool 5"]);
  expect(budget.left).toBe(19);
});

test("the 25th call is told that the budget is used up, the 24th still runs", async () => {
  const { dispatch, budget, log } = toolBench();
  budget.left = 1;
  const answers = await dispatch([get("QH-1001", "a"), callOf("list_orders", {}, "b")]);
  expect(answers.map(codeOf)).toEqual(["ok", "tool_budget_exhausted"]);
  expect(log).toEqual(["charge tool 2", 'get_order {"order_id":"QH-1001"}']);
});

test.each<[string, RawToolCall[], string[]]>([
  ["bad JSON", [callOf("get_order", {}, "a", true)], ["arguments_not_json"]],
  ["a list", [callOf("get_order", [1], "a")], ["arguments_not_an_object"]],
  ["a string", [callOf("get_order", "QH-1001", "a")], ["arguments_not_an_object"]],
  ["null", [callOf("get_order", null, "a")], ["arguments_not_an_object"]],
  ["no arguments", [callOf("get_order", {}, "a")], ["invalid_arguments"]],
  ["one id twice", [get("QH-1001", "a"), get("QH-1001", "a")], ["ok", "call_id_not_unique"]],
  ["no id", [{ id: undefined, name: "list_orders", args: {}, malformed: false }], ["call_id_not_unique"]],
  ["an empty id", [callOf("list_orders", {}, "")], ["call_id_not_unique"]],
  ["an overlong id", [callOf("list_orders", {}, "x".repeat(101))], ["call_id_not_unique"]],
  ["an id of an earlier turn", [callOf("list_orders", {}, "taken")], ["call_id_not_unique"]],
  ["an unknown tool", [callOf("refund_now", {}, "a")], ["tool_not_allowed"]],
  ["the paying tool", [callOf("execute_refund", { approval_id: "a", grant: "g" }, "a")], ["tool_not_allowed"]],
  ["the writing tool", [callOf("create_ticket", {}, "a")], ["tool_not_allowed"]],
  ["__proto__", [callOf("__proto__", {}, "a")], ["tool_not_allowed"]],
  ["constructor", [callOf("constructor", {}, "a")], ["tool_not_allowed"]],
  ["an empty name", [callOf("", {}, "a")], ["tool_not_allowed"]],
  ["a name in capitals", [callOf("GET_ORDER", { order_id: "QH-1001" }, "a")], ["tool_not_allowed"]],
  ["a boolean", [get(true, "a")], ["invalid_arguments"]],
  ["a number", [get(1001, "a")], ["invalid_arguments"]],
  ["a nested object", [get({ id: "QH-1001" }, "a")], ["invalid_arguments"]],
  ["1e999", [callOf("get_order", { order_id: Number.POSITIVE_INFINITY }, "a")], ["invalid_arguments"]],
  ["an oversized argument", [callOf("save_case_note", { note: "x".repeat(1_501) }, "a")], ["invalid_arguments"]],
  [
    "an oversized object",
    [callOf("save_case_note", { note: "n", junk: Array(4_000).fill(1) }, "a")],
    ["invalid_arguments"],
  ],
  ["another order", [get("QH-1002", "a")], ["order_not_bound_to_case"]],
])("%s gets exactly one answer", async (_what, calls, codes) => {
  const { dispatch } = toolBench();
  const answers = await dispatch(calls, { takenIds: new Set(["taken"]) });
  expect(answers.map(codeOf)).toEqual(codes);
  const ids = answers.map(({ id }) => id);
  expect(new Set([...ids, "taken"]).size).toBe(ids.length + 1);
  expect(ids.every((id) => id.length > 0 && id.length <= 100)).toBe(true);
});

test("the fifth call of a turn does not run, the four before it do", async () => {
  const { dispatch, log } = toolBench();
  const calls = ["a", "b", "c", "d", "e", "f"].map((id) => callOf("search_knowledge", { query: `query ${id}` }, id));
  const answers = await dispatch(calls);
  expect(answers.map(codeOf)).toEqual(["ok", "ok", "ok", "ok", "too_many_calls_in_turn", "too_many_calls_in_turn"]);
  expect(log).toEqual(["charge tool 6"]);
});

test.each(MODEL_TOOLS)("%s takes no argument too many", async (name) => {
  const { dispatch, log } = toolBench();
  const extras = ["tenant", "user", "amount_cents", "profile", "constructor", "lc"];
  for (const extra of extras) {
    const [answer] = await dispatch([callOf(name, { ...GOOD_ARGUMENTS[name], [extra]: "x" })]);
    expect(codeOf(answer)).toBe("invalid_arguments");
  }
  const proto: unknown = JSON.parse(`{"__proto__":{"x":1}}`);
  const [polluted] = await dispatch([
    callOf(name, Object.defineProperties({ ...GOOD_ARGUMENTS[name] }, Object.getOwnPropertyDescriptors(proto))),
  ]);
  expect(codeOf(polluted)).toBe("invalid_arguments");
  expect(log.filter((line) => !line.startsWith("charge"))).toEqual([]);
});

test.each([
  ["get_order", { order_id: "qh-1001" }, 'get_order {"order_id":"QH-1001"}'],
  ["get_order", { order_id: " QH-1001 " }, 'get_order {"order_id":"QH-1001"}'],
  ["get_order", { order_id: "ＱＨ－１００１" }, 'get_order {"order_id":"QH-1001"}'],
  ["get_order", { order_id: "QH–1001" }, 'get_order {"order_id":"QH-1001"}'],
  ["get_product", { sku: " DESK-01\u200B" }, 'get_product {"sku":"DESK-01"}'],
  ["save_case_note", { note: "  wet　" }, "note wet"],
])("%s with %j is checked and used in its normal form", async (name, args, line) => {
  const { dispatch, log } = toolBench();
  const [answer] = await dispatch([callOf(name, args)]);
  expect(codeOf(answer)).toBe("ok");
  expect(log.at(-1)).toBe(line);
});

test("a passage id with a blank in front is read", async () => {
  const { dispatch } = toolBench();
  const [answer] = await dispatch([callOf("read_knowledge", { passage_id: " RETURNS:p02:en:0" })]);
  expect(answer?.outcome).toMatchObject({ kind: "ok", result: { passage: { id: "RETURNS:p02:en:0" } } });
  expect(answer?.args).toEqual({ passage_id: "RETURNS:p02:en:0" });
});

test("a case about no order reads none, but may list", async () => {
  const { dispatch, log } = toolBench();
  const names = ["get_order", "get_shipment", "get_invoice", "calculate_refund"];
  const context = { caseId: CASE_ID, applicant: alice, language: "en", intent: "policy", orderId: null } as const;
  const answers = await dispatch(
    names.map((name) => callOf(name, { order_id: "QH-1001" }, name)),
    { context },
  );
  expect(answers.map(codeOf)).toEqual(Array(4).fill("order_not_bound_to_case"));
  expect((await dispatch([callOf("list_orders", {})], { context })).map(codeOf)).toEqual(["ok"]);
  expect(log).toEqual(["charge tool 4", "charge tool 1", "list_orders {}"]);
});

test("the third call with the same tool and arguments is refused, in whatever spelling", async () => {
  const { dispatch } = toolBench();
  const first = await dispatch([get("QH-1001", "a"), get("qh-1001 ", "b")]);
  const earlierFingerprints = first.flatMap(({ fingerprint }) => fingerprint ?? []);
  const next = await dispatch([get("ＱＨ-1001", "c"), callOf("get_invoice", { order_id: "QH-1001" }, "d")], {
    earlierFingerprints,
  });
  expect([...first, ...next].map(codeOf)).toEqual(["ok", "ok", "repeated_call", "ok"]);
});

test("three same calls in one turn: the third is refused", async () => {
  const { dispatch, log } = toolBench();
  expect((await dispatch(["a", "b", "c"].map((id) => get("QH-1001", id)))).map(codeOf)).toEqual([
    "ok",
    "ok",
    "repeated_call",
  ]);
  expect(log).toHaveLength(3);
});

test("a reviewer's role is given no tool, and the refused calls are charged", async () => {
  const { dispatch, log } = toolBench();
  const calls = MODEL_TOOLS.slice(0, 4).map((name) => callOf(name, GOOD_ARGUMENTS[name], name));
  expect((await dispatch(calls, { role: "reviewer" })).map(codeOf)).toEqual(Array(4).fill("tool_not_granted"));
  expect(log).toEqual(["charge tool 4"]);
});

test("whatever a tool throws, the model reads one of our sentences", async () => {
  const secret = "ENOENT /srv/state/app.db: select * from orders; Authorization: Bearer sk-abc";
  const { dispatch } = toolBench({ respond: () => Promise.reject(new Error(secret)) });
  const [answer] = await dispatch([get("QH-1001")]);
  expect(answer?.outcome).toEqual({ kind: "error", error: toolError("tool_failed"), cause: secret });
  expect(Object.keys(toolError("tool_failed")).sort()).toEqual(["category", "code", "message", "retryable"]);
});

test.each(["mcp_contract_changed", "lease_lost"] as const)(
  "%s is no answer to a call: it stops the case",
  async (code) => {
    const { dispatch } = toolBench({ respond: () => Promise.reject(new AftersalesError(code)) });
    await expect(dispatch([get("QH-1001")])).rejects.toMatchObject({ code });
  },
);

test("one of our own errors keeps its code", async () => {
  const { dispatch } = toolBench({ respond: () => Promise.reject(new AftersalesError("commerce_unavailable")) });
  expect((await dispatch([get("QH-1001")])).map(codeOf)).toEqual(["commerce_unavailable"]);
});

test("a read that failed for the moment is tried exactly once more and counts once", async () => {
  let tries = 0;
  const respond: Respond = () => (++tries === 1 ? unreadable : goodOrder);
  const { dispatch, log } = toolBench({ respond });
  const answers = await dispatch([get("QH-1001")]);
  expect([answers.map(codeOf), tries, log[0]]).toEqual([["ok"], 2, "charge tool 1"]);
  const stubborn = toolBench({ respond: () => unreadable });
  expect((await stubborn.dispatch([get("QH-1001")])).map(codeOf)).toEqual(["store_unreadable"]);
  expect(stubborn.log).toHaveLength(3);
});

test.each(["order_not_accessible", "invalid_arguments", "quote_changed", "service_failed"] as const)(
  "%s is not tried again",
  async (code) => {
    const { dispatch, log } = toolBench({ respond: () => ({ kind: "error", error: toolError(code) }) });
    expect((await dispatch([get("QH-1001")])).map(codeOf)).toEqual([code]);
    expect(log).toHaveLength(2);
  },
);

test("a write is never tried again", async () => {
  let tries = 0;
  const notes = {
    list: async () => [],
    add: async () => {
      tries += 1;
      throw new AftersalesError("database_busy");
    },
  };
  const { dispatch } = toolBench({ notes });
  expect((await dispatch([callOf("save_case_note", { note: "n" })])).map(codeOf)).toEqual(["database_busy"]);
  expect(tries).toBe(1);
});

test("a tool gets 15 seconds at most, and never more than the phase has left", async () => {
  const given: number[] = [];
  const respond: Respond = (_tool, _args, { remainingMs }) => {
    given.push(remainingMs());
    return goodOrder;
  };
  const { dispatch, log } = toolBench({ respond });
  await dispatch([get("QH-1001")]);
  await dispatch([get("QH-1001")], { remainingMs: () => 700 });
  expect(given).toEqual([15_000, 700]);
  expect((await dispatch([get("QH-1001")], { remainingMs: () => 0 })).map(codeOf)).toEqual(["tool_timeout"]);
  expect(log.filter((line) => line.startsWith("get_order"))).toHaveLength(2);
});

test("a cancelled read is thrown, never answered", async () => {
  const { dispatch } = toolBench({ respond: () => ({ kind: "cancelled" }) });
  await expect(dispatch([get("QH-1001")])).rejects.toMatchObject({ code: "cancelled" });
});

test("a case that is stopped while a tool runs throws its reason, also when the tool still answers", async () => {
  const stop = new AbortController();
  const respond: Respond = () => {
    stop.abort(new AftersalesError("lease_lost"));
    return goodOrder;
  };
  await expect(toolBench({ respond }).dispatch([get("QH-1001")], { signal: stop.signal })).rejects.toMatchObject({
    code: "lease_lost",
  });
});

/** A gate whose steps before a call each take their time on its own clock; the phase ends at `endsAt`. */
function slowGate(slow: { registry?: number; charge?: number; read?: number }, endsAt: number) {
  const clock = { now: 0 };
  const reads: number[] = [];
  const respond: Respond = (_tool, _args, { remainingMs }) => {
    reads.push(remainingMs());
    clock.now += slow.read ?? 0;
    return unreadable;
  };
  const { tools } = toolBench({ respond });
  const dispatch = createDispatch({
    registryFor: async () => {
      clock.now += slow.registry ?? 0;
      return createRegistry(tools);
    },
    budget: {
      charge: async (_caseId, _kind, count) => {
        clock.now += slow.charge ?? 0;
        return count;
      },
    },
    newId: () => "host",
    nowMs: () => clock.now,
  });
  const context = { caseId: CASE_ID, applicant: alice, language: "en", intent: "refund", orderId: ORDER_ID } as const;
  const run = () =>
    dispatch({
      calls: [get("QH-1001", "a")],
      context,
      role: "customer",
      takenIds: new Set(),
      earlierFingerprints: [],
      signal: new AbortController().signal,
      remainingMs: () => endsAt - clock.now,
    });
  return { run, reads };
}

test.each([
  ["starting the service", { registry: 4_000 }],
  ["charging", { charge: 4_000 }],
])("the time that %s took is not given to the call again", async (_what, slow) => {
  const gate = slowGate(slow, 5_000);
  await gate.run();
  expect(gate.reads).toEqual([1_000, 1_000]);
});

test("a deadline that passed before the call could be made is a timeout, and nothing runs", async () => {
  const gate = slowGate({ charge: 5_000 }, 5_000);
  expect((await gate.run()).map(codeOf)).toEqual(["tool_timeout"]);
  expect(gate.reads).toEqual([]);
});

test("the second try of a read has what the first has left of the phase, and is not made without any", async () => {
  const gate = slowGate({ read: 3_000 }, 5_000);
  await gate.run();
  expect(gate.reads).toEqual([5_000, 2_000]);
  const spent = slowGate({ read: 5_000 }, 5_000);
  expect((await spent.run()).map(codeOf)).toEqual(["tool_timeout"]);
  expect(spent.reads).toEqual([5_000]);
});

test("a tool that never answers is a timeout, and the other calls of its turn are answered", {
  timeout: 5_000,
}, async () => {
  const preferences = { language: () => new Promise<never>(() => undefined) };
  const { dispatch } = toolBench({ preferences });
  const answers = await dispatch([callOf("read_preferences", {}, "a"), get("QH-1001", "b")], { remainingMs: () => 20 });
  expect(answers.map(codeOf)).toEqual(["tool_timeout", "ok"]);
});

test("a case that is stopped does not wait for a tool that never answers", { timeout: 5_000 }, async () => {
  const stop = new AbortController();
  const preferences = { language: () => new Promise<never>(() => stop.abort(new AftersalesError("lease_lost"))) };
  const { dispatch } = toolBench({ preferences });
  await expect(dispatch([callOf("read_preferences", {})], { signal: stop.signal })).rejects.toMatchObject({
    code: "lease_lost",
  });
});

test("one of our own errors keeps what caused it for the log, and shows the model none of it", async () => {
  const broken = new AftersalesError("commerce_unavailable", {}, { cause: new Error("spawn /srv/x ENOENT") });
  const { dispatch } = toolBench({ respond: () => Promise.reject(broken) });
  const [answer] = await dispatch([get("QH-1001")]);
  expect(answer?.outcome).toEqual({
    kind: "error",
    error: toolError("commerce_unavailable"),
    cause: "spawn /srv/x ENOENT",
  });
});
