import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { approvalOf, moneyOf, sharedWorkspace } from "../support/graph-case.js";
import { createWorkspace, jsonOf, type Workspace } from "../support/workspace.js";

const View = z.looseObject({
  caseId: z.string(),
  status: z.string(),
  phase: z.string(),
  answer: z.looseObject({ answer: z.string(), citations: z.array(z.string()), nextAction: z.string() }),
  quote: z
    .looseObject({
      orderId: z.string(),
      reason: z.string(),
      amountCents: z.int(),
      shippingRefundCents: z.int(),
      daysSinceDelivery: z.int().nullable(),
    })
    .optional(),
  proposal: z.looseObject({ amountCents: z.int(), orderId: z.string(), state: z.string() }).optional(),
  digest: z.string().optional(),
  artifact: z.string(),
});
type View = z.infer<typeof View>;

async function ask(workspace: Workspace, profile: string, question: string, language = "en"): Promise<View> {
  const run = await workspace.inProcess(["--json", "--profile", profile, "ask", question, "--language", language]);
  expect(run.code, run.stderr).toBe(0);
  return View.parse(jsonOf(run));
}

const QUESTIONS = {
  en: (orderId: string) => `Please refund ${orderId}.`,
  zh: (orderId: string) => `请为 ${orderId} 办理退款。`,
};

/** order, asked by, days since delivery, reason, cents, status */
const EXPECTED = `
QH-1001 alice 7    eligible                        12900 waiting_approval
QH-1002 alice 30   eligible                        17900 waiting_approval
QH-1003 alice 31   outside_window                      0 completed
QH-1004 alice 4    return_not_received                 0 completed
QH-1005 alice null not_delivered                       0 completed
QH-1006 alice null not_delivered                       0 completed
QH-1007 alice 5    excluded_category                   0 completed
QH-1008 alice 2    excluded_category                   0 completed
QH-1009 alice 10   eligible                         8000 waiting_approval
QH-1010 alice 12   already_refunded                    0 completed
QH-1011 alice null not_delivered                       0 completed
QH-1012 alice 90   outside_window                      0 completed
QH-2001 bob   7    eligible                        12900 waiting_approval
QH-2002 bob   30   eligible                        17900 waiting_approval
QH-2003 bob   31   outside_window                      0 completed
QH-2004 bob   4    return_not_received                 0 completed
QH-2005 bob   null not_delivered                       0 completed
QH-2006 bob   null not_delivered                       0 completed
QH-3001 lin   7    merchant_requires_manual_review     0 completed
QH-3002 lin   30   merchant_requires_manual_review     0 completed
QH-3003 lin   31   merchant_requires_manual_review     0 completed
QH-3004 lin   4    merchant_requires_manual_review     0 completed
QH-3005 lin   null merchant_requires_manual_review     0 completed
QH-3006 lin   null merchant_requires_manual_review     0 completed
`
  .trim()
  .split("\n")
  .map((line) => line.split(/ +/))
  .map(([orderId = "", profile = "", days = "", reason = "", cents = "", status = ""]) => ({
    orderId,
    profile,
    days: days === "null" ? null : Number(days),
    reason,
    cents: Number(cents),
    status,
  }));

describe.each(["en", "zh"] as const)("a customer who asks for a refund in %s", (language) => {
  const workspace = sharedWorkspace();

  test.each(EXPECTED)("$orderId of $profile is $reason with $cents cents and ends $status", async (expected) => {
    const { orderId, profile, days, reason, cents, status } = expected;
    const before = moneyOf(workspace, orderId);
    const view = await ask(workspace, profile, QUESTIONS[language](orderId), language);
    expect(view).toMatchObject({
      status,
      phase: status === "completed" ? "done" : "approve",
      quote: { orderId, reason, amountCents: cents, shippingRefundCents: 0, daysSinceDelivery: days },
    });
    if (status === "completed") expect(view).not.toHaveProperty("proposal");
    else expect(view.proposal).toMatchObject({ orderId, amountCents: cents, state: "live" });
    expect(moneyOf(workspace, orderId)).toEqual(before);
  });

  test("none of the twenty-four has paid anything", () => {
    expect(workspace.query("commerce", "select count(*) as count from receipts")).toEqual([{ count: 0 }]);
    expect(workspace.query("application", "select distinct state, grant_jws from approvals")).toEqual([
      { state: "pending", grant_jws: null },
    ]);
  });
});

describe("an order that is not the customer's", () => {
  const workspace = sharedWorkspace();
  const views = new Map<string, View>();
  const foreign = ["QH-2001", "QH-3001", "QH-9999"];

  test.each(foreign)("%s ends in a request for input", async (orderId) => {
    const view = await ask(workspace, "alice", QUESTIONS.en(orderId));
    views.set(orderId, view);
    expect(view).toMatchObject({ status: "needs_input", phase: "done", answer: { nextAction: "needs_input" } });
    expect(view).not.toHaveProperty("quote");
    expect(view).not.toHaveProperty("proposal");
  });

  test("another customer's, another merchant's and no order at all look the same", () => {
    const seen = foreign.map((orderId) => {
      const view = views.get(orderId);
      const events = workspace.query(
        "application",
        "select phase, status, tool, code from events where case_id = ? order by number",
        view?.caseId,
      );
      return neutral(JSON.stringify({ view, events }), orderId, view?.caseId ?? "", view?.artifact ?? "");
    });
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toContain("order_not_accessible");
  });

  test("nothing of the foreign record is kept anywhere", () => {
    const kept = [join(workspace.stateDir, "host"), join(workspace.stateDir, "host", "artifacts")]
      .flatMap((folder) => readdirSync(folder, { withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    expect(kept.some((bytes) => bytes.includes("QH-2001"))).toBe(true);
    for (const secret of ["INV-2001", "INV-3001", "DEMO-2001", "DEMO-3001", "BOB (", "LIN (", "12900", "129.00"]) {
      expect(
        kept.some((bytes) => bytes.includes(secret)),
        secret,
      ).toBe(false);
    }
  });

  function neutral(text: string, orderId: string, caseId: string, artifact: string): string {
    return text.replaceAll(artifact, "ARTIFACT").replaceAll(caseId, "CASE").replaceAll(orderId, "ORDER");
  }
});

describe("what a customer says about money", () => {
  test.each([
    ["en", "How much would I get back for QH-1001?"],
    ["zh", "QH-1001 能退多少钱？"],
  ])("asking how much a refund would be gives the quote and no proposal (%s)", async (language, question) => {
    const workspace = createWorkspace();
    const view = await ask(workspace, "alice", question, language);
    expect(view).toMatchObject({
      status: "completed",
      answer: { nextAction: "answer" },
      quote: { reason: "eligible", amountCents: 12_900 },
    });
    expect(view.answer.answer).toContain("129.00");
    expect(view).not.toHaveProperty("proposal");
    expect(workspace.query("application", "select count(*) as count from approvals")).toEqual([{ count: 0 }]);
  });

  test.each([
    ["en", "I paid 9,999, refund QH-1001 in full 9,999."],
    ["zh", "我付了 9,999 元，请全额退款 QH-1001，退 9,999 元。"],
  ])("a claimed amount changes nothing about the proposal (%s)", async (language, question) => {
    const workspace = createWorkspace();
    const view = await ask(workspace, "alice", question, language);
    expect(view).toMatchObject({ status: "waiting_approval", proposal: { orderId: "QH-1001", amountCents: 12_900 } });
    expect(view.answer.answer).not.toMatch(/9,?999/);
    expect(JSON.parse(approvalOf(workspace, view.caseId).proposal)).toMatchObject({ amountCents: 12_900 });
  });
});
