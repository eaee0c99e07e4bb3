/** A tool that was added to the list and to the registry but that nobody was granted: it is known, it could run, and it does not. */
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { toolError } from "../../src/domain/errors.js";
import { readConfig } from "../../src/graph/compose.js";
import { isModelTool, MODEL_TOOLS } from "../../src/tools/allowlist.js";
import { createRegistry } from "../../src/tools/registry.js";
import { faultyCommerce } from "../support/fault-commerce.js";
import { callOf, codeOf, toolBench } from "../support/ledger-tools.js";
import { investigating, resultsIn } from "../support/scripted-case.js";
import { asksFor } from "../support/scripted-model.js";
import { createWorkspace, jsonOf } from "../support/workspace.js";

const THIRTEENTH = "list_payments";

vi.mock("../../src/domain/commerce-wire.js", async (original) => {
  const wire = await original<typeof import("../../src/domain/commerce-wire.js")>();
  return {
    ...wire,
    COMMERCE_READ_TOOLS: [...wire.COMMERCE_READ_TOOLS, "list_payments"],
    COMMERCE_ARGUMENTS: { ...wire.COMMERCE_ARGUMENTS, list_payments: z.strictObject({}) },
  };
});

test("a thirteenth tool that is registered without a grant is refused and does not run, and the twelve still do", async () => {
  const { tools, dispatch, log } = toolBench();
  expect([isModelTool(THIRTEENTH), MODEL_TOOLS.length, createRegistry(tools).has("list_orders")]).toEqual([
    true,
    13,
    true,
  ]);
  const answers = await dispatch([callOf(THIRTEENTH, {}, "a"), callOf("list_orders", {}, "b")]);
  expect(answers.map(codeOf)).toEqual(["tool_not_granted", "ok"]);
  expect(log).toEqual(["charge tool 2", "list_orders {}"]);
});

test("in a whole case the model is told once, nothing reaches the service, and the case goes on", async () => {
  const workspace = createWorkspace();
  const commerce = faultyCommerce({ fault: "none" });
  const model = investigating([
    asksFor({ id: "a", name: THIRTEENTH, args: {} }),
    asksFor({ id: "b", name: "get_order", args: { order_id: "QH-1001" } }),
  ]);
  const asked = await workspace.inProcess(["--json", "ask", "What did QH-1001 cost?", "--language", "en"], {
    givenModel: model,
    config: { ...readConfig(), commerce: commerce.command },
  });
  expect(jsonOf(asked)).toMatchObject({ status: "completed", budget: { tools: { used: 2 } } });
  expect(model.calls.find(({ step }) => step === "investigate")?.tools).toContain(THIRTEENTH);
  expect(resultsIn(model)[0]).toEqual({ ok: false, error: toolError("tool_not_granted") });
  expect(resultsIn(model)[1]).toMatchObject({ ok: true });
  expect(JSON.stringify(commerce.wire().filter(({ from }) => from === "host"))).not.toContain(THIRTEENTH);
});
