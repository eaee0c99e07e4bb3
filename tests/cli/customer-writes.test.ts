import { describe, expect, it } from "vitest";
import { createWorkspace, jsonOf } from "../support/workspace.js";

const ticket = ["create-ticket", "QH-1012", "Lamp will not turn on; human support please"];

describe("create-ticket", () => {
  it("opens one simulated ticket per key; the same content replays it, other content is a conflict", async () => {
    const workspace = createWorkspace();
    const first = await workspace.inProcess(["--json", ...ticket, "--key", "lamp-1"]);
    expect(first.code).toBe(0);
    expect(jsonOf(first)).toMatchObject({ orderId: "QH-1012", status: "open", simulated: true });
    expect((await workspace.inProcess(["--json", ...ticket, "--key", "lamp-1"])).stdout).toBe(first.stdout);
    const changed = await workspace.inProcess([
      "--json",
      "create-ticket",
      "QH-1012",
      "Something else",
      "--key",
      "lamp-1",
    ]);
    expect([changed.code, jsonOf(changed)]).toMatchObject([1, { error: { code: "idempotency_conflict" } }]);
    expect(workspace.query("commerce", "select count(*) as tickets from tickets")).toEqual([{ tickets: 1 }]);
  });

  it.each([
    ["another customer's order", "QH-2001"],
    ["an order that does not exist", "QH-9999"],
    ["a text that is no order id", "my lamp"],
  ])("refuses %s with the same words", async (_name, order) => {
    const workspace = createWorkspace();
    const run = await workspace.inProcess(["--json", "create-ticket", order, "help", "--key", "k"]);
    expect(jsonOf(run)).toEqual({
      error: {
        code: "order_not_accessible",
        category: "permission",
        message: "This order is not accessible to this customer. Check the number, or ask a human.",
      },
    });
    expect(workspace.query("commerce", "select count(*) as tickets from tickets")).toEqual([{ tickets: 0 }]);
  });
});

describe("remember", () => {
  it("needs consent, sets the language of later cases, and nothing else; other people are not affected", async () => {
    const workspace = createWorkspace();
    const refused = await workspace.inProcess(["--json", "remember", "--language", "en"]);
    expect([refused.code, jsonOf(refused)]).toMatchObject([1, { error: { code: "consent_required" } }]);
    expect(jsonOf(await workspace.inProcess(["--json", "ask", "QH-1001 可以退多少？"]))).toMatchObject({
      language: "zh",
    });
    expect((await workspace.inProcess(["remember", "--language", "en", "--consent"])).code).toBe(0);
    expect(jsonOf(await workspace.inProcess(["--json", "ask", "Hello"]))).toMatchObject({ language: "en" });
    expect(jsonOf(await workspace.inProcess(["--json", "ask", "你好", "--language", "zh"]))).toMatchObject({
      language: "zh",
    });
    expect(jsonOf(await workspace.inProcess(["--json", "--profile", "bob", "ask", "你好"]))).toMatchObject({
      language: "zh",
    });
  });
});
