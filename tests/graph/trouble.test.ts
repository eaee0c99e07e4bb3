/** What a customer is told when a record cannot be read, is not theirs, or holds nothing yet: through the real process and the whole graph. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { BusinessData } from "../../src/domain/business-data.js";
import { hostAnswer } from "../../src/domain/host-answers.js";
import { readConfig } from "../../src/graph/compose.js";
import { faultyCommerce, type Scenario } from "../support/fault-commerce.js";
import { moneyOf, sharedWorkspace } from "../support/graph-case.js";
import { createWorkspace, jsonOf, ROOT, type Run, type Workspace, workspaceAt } from "../support/workspace.js";

const View = z.looseObject({
  status: z.string(),
  answer: z.looseObject({ answer: z.string(), nextAction: z.string() }),
  error: z.looseObject({ code: z.string(), category: z.string(), message: z.string() }).optional(),
});
type Language = "en" | "zh";
const LANGUAGES: Language[] = ["en", "zh"];

const REFUND = { en: "Please refund QH-1001.", zh: "请为 QH-1001 办理退款。" };
const DENIES = /not exist|no such|not found|nothing under|cannot find|不存在|没有这个|查无|找不到/i;

/** Asks in this process; `scenario` is what its commerce process suffers. */
function ask(workspace: Workspace, question: string, language: Language, scenario?: Scenario): Promise<Run> {
  const config = readConfig();
  const given = scenario === undefined ? {} : { config: { ...config, commerce: faultyCommerce(scenario).command } };
  return workspace.inProcess(["--json", "ask", question, "--language", language], given);
}

function viewOf(run: Run): z.infer<typeof View> {
  expect(run.code, run.stderr).toBe(0);
  return View.parse(jsonOf(run));
}

describe.each(LANGUAGES)("in %s, an order that could not be read is unknown, not absent", (language) => {
  const UNREADABLE: [string, Scenario, string, string][] = [
    ["times out", { tool: "get_order", fault: "time-out", times: 9 }, "tool_timeout", "transient"],
    ["is killed", { tool: "get_order", fault: "die", times: 9 }, "commerce_unavailable", "transient"],
    [
      "answers what was not agreed",
      { tool: "get_order", fault: "misshape", times: 9 },
      "invalid_commerce_result",
      "internal",
    ],
  ];
  test.each(UNREADABLE)("when the service %s", async (_what, scenario, code, category) => {
    const workspace = createWorkspace();
    const view = viewOf(await ask(workspace, REFUND[language], language, scenario));
    expectUnknown(view, language, code, category);
    expect(moneyOf(workspace)).toMatchObject({ refunded: 0, receipts: 0 });
    expect(workspace.query("application", "select count(*) as count from approvals")).toEqual([{ count: 0 }]);
  });

  test("when the store under the running service fails", async () => {
    const workspace = createWorkspace();
    workspace.tamper("commerce", "alter table orders rename to elsewhere");
    const view = viewOf(await ask(workspace, REFUND[language], language));
    expectUnknown(view, language, "service_failed", "internal");
  });

  test("when the store cannot be reached at all: the case fails with a code and can be resumed", async () => {
    const workspace = createWorkspace();
    const file = join(workspace.stateDir, "commerce", "commerce.db");
    const kept = readFileSync(file);
    rmSync(file);
    const run = await ask(workspace, REFUND[language], language);
    expect(run.code).toBe(1);
    const failed = z
      .looseObject({ caseId: z.string(), status: z.string(), error: z.looseObject({ category: z.string() }) })
      .parse(jsonOf(run));
    expect(failed).toMatchObject({ status: "failed", error: { code: "commerce_not_started", category: "transient" } });
    expect(run.stdout + run.stderr).not.toMatch(DENIES);
    writeFileSync(file, kept);
    const resumed = await workspace.inProcess(["--json", "resume", failed.caseId, "--retry"]);
    expect(jsonOf(resumed)).toMatchObject({ status: "waiting_approval" });
  });
});

function expectUnknown(view: z.infer<typeof View>, language: Language, code: string, category: string): void {
  expect(view).toMatchObject({ status: "needs_input", error: { code, category } });
  expect(view.answer).toMatchObject(hostAnswer("order_unreadable", language));
  expect(view.answer.answer).toMatch(/unknown|未知/);
  expect(view.answer.answer).not.toMatch(DENIES);
  expect(view).not.toHaveProperty("proposal");
}

test.each(LANGUAGES)("in %s, one failed read is tried again and the case goes on", async (language) => {
  const scenario: Scenario = { tool: "get_order", fault: "die", times: 1 };
  expect(viewOf(await ask(createWorkspace(), REFUND[language], language, scenario)).status).toBe("waiting_approval");
});

describe.each(LANGUAGES)("in %s, what the records say is told as it is", (language) => {
  const shared = sharedWorkspace();

  test("a foreign order is not accessible", async () => {
    const question = { en: "Please refund QH-2001.", zh: "请为 QH-2001 办理退款。" }[language];
    const view = viewOf(await ask(shared, question, language));
    expect(view).toMatchObject({
      status: "needs_input",
      answer: hostAnswer("order_not_accessible", language),
      error: { code: "order_not_accessible", category: "permission" },
    });
  });

  test("an order that was refunded before is told with its amount, and not proposed again", async () => {
    const question = { en: "Please refund QH-1010.", zh: "请为 QH-1010 办理退款。" }[language];
    const view = viewOf(await ask(shared, question, language));
    expect(view).toMatchObject({ status: "completed", quote: { reason: "already_refunded", amountCents: 0 } });
    expect(view.answer.answer).toContain("129.00");
    expect(view).not.toHaveProperty("proposal");
  });
});

describe("an order with neither shipment nor invoice", () => {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-data-"));
  const data = join(folder, "data");
  const workspace = workspaceAt(join(folder, "state"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("is valid data", async () => {
    cpSync(join(ROOT, "data"), data, { recursive: true });
    const file = join(data, "business.json");
    const business = BusinessData.parse(JSON.parse(readFileSync(file, "utf8")));
    const orders = business.orders.map((order) =>
      order.order_id === "QH-1006" ? { ...order, shipment: null, invoice_id: null, invoice: null } : order,
    );
    writeFileSync(file, JSON.stringify({ ...business, orders }));
    expect((await workspace.inProcess(["--data", data, "init"])).code).toBe(0);
  });

  test.each<[string, Language, string, RegExp]>([
    ["not yet shipped", "en", "Where is my parcel for QH-1006?", /No shipment event is recorded yet/],
    ["not yet shipped", "zh", "QH-1006 的包裹到哪了？", /没有.*(物流|运输|发货)|尚无|暂无/],
    ["no invoice", "en", "Where is the invoice of QH-1006?", /No invoice is recorded for order QH-1006 yet/],
    ["no invoice", "zh", "QH-1006 的发票在哪里？", /QH-1006.*(没有|尚无|暂无).*发票|(没有|尚无|暂无).*发票/],
  ])("is told as %s (%s): a valid empty answer, no error", async (_what, language, question, told) => {
    const view = viewOf(await workspace.inProcess(["--json", "--data", data, "ask", question, "--language", language]));
    expect(view.status).toBe("completed");
    expect(view.answer.answer).toMatch(told);
    expect(view).not.toHaveProperty("error");
  });
});
