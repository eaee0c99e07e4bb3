import { describe, expect, test } from "vitest";
import { z } from "zod";
import { LIMITS } from "../../src/domain/limits.js";
import type { RawToolCall } from "../../src/domain/ports.js";
import { isGranted, MODEL_TOOLS } from "../../src/tools/allowlist.js";
import {
  deadlineOf,
  fingerprintOf,
  normaliseArguments,
  refuseArguments,
  refuseForeignOrder,
  refuseMalformed,
  refuseOversized,
  refuseRepeated,
  refuseUngranted,
  waitFor,
} from "../../src/tools/guard.js";
import type { ToolContext } from "../../src/tools/tool.js";
import { alice, CASE_ID, ORDER_ID } from "../support/ledger-values.js";

const NONE: ReadonlySet<string> = new Set();
const call = (changes: Partial<RawToolCall> = {}): RawToolCall => ({
  id: "c1",
  name: "get_order",
  args: {},
  malformed: false,
  ...changes,
});
const parsed = (json: string): unknown => JSON.parse(json);

describe("the form of a call", () => {
  test("a well-formed call is let through, as the first of a turn and as the fourth", () => {
    expect(refuseMalformed(call(), 0, NONE)).toBeNull();
    expect(refuseMalformed(call(), LIMITS.callsPerTurn - 1, NONE)).toBeNull();
    expect(refuseMalformed(call({ id: "x".repeat(LIMITS.toolCallIdChars) }), 0, new Set(["c1"]))).toBeNull();
  });

  test.each<[string, Partial<RawToolCall>, number, string]>([
    ["without an id", { id: undefined }, 0, "call_id_not_unique"],
    ["with an empty id", { id: "" }, 0, "call_id_not_unique"],
    ["with an id of 101 characters", { id: "x".repeat(101) }, 0, "call_id_not_unique"],
    ["with an id that was used before", { id: "taken" }, 0, "call_id_not_unique"],
    ["whose arguments are not JSON", { malformed: true }, 0, "arguments_not_json"],
    ["in the fifth place of its turn", {}, LIMITS.callsPerTurn, "too_many_calls_in_turn"],
    ["in the thousandth place", {}, 999, "too_many_calls_in_turn"],
    ["with a list for arguments", { args: [{}] }, 0, "arguments_not_an_object"],
    ["with text for arguments", { args: "QH-1001" }, 0, "arguments_not_an_object"],
    ["with a number for arguments", { args: 1001 }, 0, "arguments_not_an_object"],
    ["with null for arguments", { args: null }, 0, "arguments_not_an_object"],
    ["with nothing for arguments", { args: undefined }, 0, "arguments_not_an_object"],
  ])("a call %s is refused", (_what, changes, position, code) => {
    expect(refuseMalformed(call(changes), position, new Set(["taken"]))).toBe(code);
  });
});

describe("the grant", () => {
  test.each(MODEL_TOOLS)("a customer's case may use %s", (tool) => {
    expect(refuseUngranted("customer", tool)).toBeNull();
  });

  test("no other role may use any of the twelve", () => {
    expect(MODEL_TOOLS).toHaveLength(12);
    for (const tool of MODEL_TOOLS) expect(refuseUngranted("reviewer", tool)).toBe("tool_not_granted");
  });

  test.each(["", "Customer", "customers", "admin", "__proto__", "constructor", "toString"])(
    "what is not listed as a role has no tools: %s",
    (role) => {
      expect(MODEL_TOOLS.filter((tool) => isGranted(role, tool))).toEqual([]);
    },
  );

  test.each(["execute_refund", "create_ticket", "list_payments", "GET_ORDER", "get_order ", "", "__proto__", "has"])(
    "what is not listed as a tool has no users: %s",
    (tool) => {
      expect(refuseUngranted("customer", tool)).toBe("tool_not_granted");
    },
  );
});

describe("the arguments", () => {
  const schema = z.strictObject({ order_id: z.string().max(2_000), note: z.string().max(2_000).optional() });

  test("what the schema knows is let through", () => {
    expect(refuseArguments({ order_id: "QH-1001" }, schema)).toBeNull();
    expect(refuseArguments({ order_id: "QH-1001", note: "x".repeat(LIMITS.toolArgumentChars) }, schema)).toBeNull();
  });

  test.each<[string, Record<string, unknown>]>([
    ["one too many", { order_id: "QH-1001", amount_cents: 1 }],
    ["one that is missing", {}],
    ["one of another type", { order_id: 1001 }],
    ["true for a text", { order_id: true }],
    ["an own key named __proto__", z.record(z.string(), z.unknown()).parse(parsed('{"order_id":"QH-1001"}'))],
  ])("%s is told from what the schema knows", (what, args) => {
    const sent = what.includes("__proto__")
      ? Object.defineProperty(args, "__proto__", { value: {}, enumerable: true })
      : args;
    expect(refuseArguments(sent, schema)).toBe("invalid_arguments");
  });

  test.each<[string, Record<string, unknown>]>([
    ["a text of 1,501 characters", { order_id: "x".repeat(LIMITS.toolArgumentChars + 1) }],
    ["an object of more than 6,000 characters", { order_id: "x", junk: Array(3_000).fill(1) }],
  ])("%s is refused before any schema looks at it", (_what, args) => {
    expect(refuseOversized(args)).toBe("invalid_arguments");
    expect(refuseArguments(args, z.looseObject({}))).toBe("invalid_arguments");
  });

  test("the largest arguments that fit are let through", () => {
    const full = LIMITS.toolArgumentsJsonChars - '{"a":"","b":"","c":"","d":""}'.length;
    const part = "x".repeat(full / 4 - 1);
    expect(refuseOversized({ a: part, b: part, c: part, d: part })).toBeNull();
    expect(refuseOversized({ order_id: "x".repeat(LIMITS.toolArgumentChars) })).toBeNull();
  });
});

describe("the order a case is bound to", () => {
  const context: ToolContext = {
    caseId: CASE_ID,
    applicant: alice,
    language: "en",
    intent: "refund",
    orderId: ORDER_ID,
  };

  test("its own order may be read, and what names no order as well", () => {
    expect(refuseForeignOrder({ order_id: "QH-1001" }, context)).toBeNull();
    expect(refuseForeignOrder({ sku: "DESK-01" }, { ...context, orderId: null })).toBeNull();
  });

  test.each([["QH-1002"], ["qh-1001"], ["QH-1001 "], [null], [undefined], [["QH-1001"]], [1001]])(
    "%j is another order",
    (order_id) => {
      expect(refuseForeignOrder({ order_id }, context)).toBe("order_not_bound_to_case");
    },
  );

  test("a case about no order reads none, not even one that is named null", () => {
    for (const order_id of ["QH-1001", null, undefined]) {
      expect(refuseForeignOrder({ order_id }, { ...context, orderId: null })).toBe("order_not_bound_to_case");
    }
  });
});

describe("the same call", () => {
  /** The fingerprint of arguments as they arrive, read and normalised as the gate does it. */
  const printOf = (json: string, name = "any"): string =>
    fingerprintOf(name, normaliseArguments(z.record(z.string(), z.unknown()).parse(parsed(json))));

  test.each([
    ["in another order of keys", '{"a":"x","b":"y"}', '{"b":"y","a":"x"}'],
    ["in another order of keys further in", '{"a":{"c":1,"d":2}}', '{"a":{"d":2,"c":1}}'],
    ["with other white space", '{"a":"x","b":1}', ' { "a" : "x" ,\n"b":1 } '],
    ["with blanks around a text", '{"a":"x"}', '{"a":"  x\\t"}'],
    ["with a number written as 1.0", '{"a":1}', '{"a":1.0}'],
    ["with a number written as 1e2", '{"a":100}', '{"a":1e2}'],
    ["with minus zero", '{"a":0}', '{"a":-0}'],
    ["with an escaped letter", '{"a":"x"}', '{"a":"\\u0078"}'],
    ["with full-width letters", '{"a":"QH-1001"}', '{"a":"ＱＨ-１００１"}'],
    ["with a composed letter", '{"a":"caf\\u00e9"}', '{"a":"cafe\\u0301"}'],
    ["with an invisible character", '{"a":"refund"}', '{"a":"re\\u200bfund"}'],
    ["with a small order number", '{"order_id":"QH-1001"}', '{"order_id":"qh–1001"}'],
  ])("%s is the same call", (_what, first, second) => {
    expect(printOf(second)).toBe(printOf(first));
  });

  test.each([
    ["another value", '{"a":"x"}', '{"a":"y"}'],
    ["another name of an argument", '{"a":"x"}', '{"b":"x"}'],
    ["a number for a text", '{"a":"1"}', '{"a":1}'],
    ["an argument more", '{"a":"x"}', '{"a":"x","b":null}'],
    ["other letters of a text", '{"a":"returns"}', '{"a":"Returns"}'],
    ["another order of a list", '{"a":[1,2]}', '{"a":[2,1]}'],
  ])("%s makes it another call", (_what, first, second) => {
    expect(printOf(second)).not.toBe(printOf(first));
  });

  test("another tool makes it another call, also when name and arguments run together", () => {
    expect(printOf("{}", "get_order")).not.toBe(printOf("{}", "get_invoice"));
    expect(fingerprintOf("a {}", {})).not.toBe(fingerprintOf("a", {}));
  });

  test("it may be made twice, whatever else was asked in between", () => {
    expect(refuseRepeated("x", [])).toBeNull();
    expect(refuseRepeated("x", ["x", "y", "y", "y"])).toBeNull();
    expect(refuseRepeated("x", ["x", "y", "x"])).toBe("repeated_call");
    expect(refuseRepeated("x", Array(9).fill("x"))).toBe("repeated_call");
  });
});

describe("the deadline", () => {
  test("a call has 15 seconds, or what its phase has left if that is less, and both run on while it is slow", () => {
    const clock = { now: 1_000 };
    const phase = (endsAt: number) => () => endsAt - clock.now;
    const ample = deadlineOf(() => clock.now, phase(100_000));
    const scarce = deadlineOf(() => clock.now, phase(5_000));
    expect([ample(), scarce()]).toEqual([LIMITS.toolCallMs, 4_000]);
    clock.now += 3_999;
    expect([ample(), scarce()]).toEqual([LIMITS.toolCallMs - 3_999, 1]);
    clock.now += 1;
    expect([ample(), scarce()]).toEqual([LIMITS.toolCallMs - 4_000, 0]);
  });

  const never = (): Promise<string> => new Promise(() => undefined);

  test("what answers in time is heard, also when it fails", async () => {
    const { signal } = new AbortController();
    expect(await waitFor(Promise.resolve("answer"), "late", 10_000, signal)).toBe("answer");
    await expect(waitFor(Promise.reject(new Error("broken")), "late", 10_000, signal)).rejects.toThrow("broken");
  });

  test("what never answers is late", async () => {
    expect(await waitFor(never(), "late", 1, new AbortController().signal)).toBe("late");
  });

  test("what does not mind the signal is left when the case is stopped, with the reason of the stop", async () => {
    const stop = new AbortController();
    const waiting = waitFor(never(), "late", 60_000, stop.signal);
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    await expect(waitFor(never(), "late", 60_000, stop.signal)).rejects.toThrow("stopped");
  });
});
