import { expect, test } from "vitest";
import { Approval } from "../../src/domain/approval.js";
import { canonicalJson, textHash } from "../../src/domain/canonical.js";
import type { CaseRow } from "../../src/domain/case.js";
import { CaseRecord, caseRecordOf, decisionOf, renderCaseRecord } from "../../src/domain/case-record.js";
import { Receipt, receiptIdOf } from "../../src/domain/receipt.js";
import { approval, caseRow, chen, OTHER_CASE_ID, proposal, quote } from "../support/ledger-values.js";

const EXPLANATION = "QH-1001 is within 30 days and back in the warehouse.";
const made = proposal();
const receipt = Receipt.parse({
  receiptId: receiptIdOf(made.approvalId),
  approvalId: made.approvalId,
  digest: approval().digest,
  orderId: "QH-1001",
  amountCents: 12_900,
  currency: "CNY",
  simulated: true,
  executedAt: "2026-09-12T08:05:00.000Z",
});
const pageHash = textHash("passage");

function row(changes: Partial<CaseRow> = {}, answer = EXPLANATION): CaseRow {
  return caseRow({
    status: "waiting_approval",
    phase: "approve",
    answer: { answer, citations: ["RETURNS:p02:en:0", "get_order:QH-1001"], nextAction: "request_refund" },
    quote: quote(),
    evidence: {
      facts: [{ sourceId: "get_order:QH-1001", data: '{"version":1}' }],
      passages: [{ id: "RETURNS:p02:en:0", version: "2026-09", textHash: pageHash }],
    },
    ...changes,
  });
}

const settled = Approval.parse({
  ...approval(),
  state: "settled",
  reviewer: chen.user,
  decidedAt: "2026-09-12T08:04:00.000Z",
  reason: "goods checked",
  grant: "head.body.signature",
  receipt: JSON.stringify(receipt),
});
const record = caseRecordOf(row({ status: "completed", phase: "done" }), settled);
const file = renderCaseRecord(record);

test.each([
  ["the simulation notice", "no money moves"],
  ["the case id", record.caseId],
  ["the outcome", "- Status: completed"],
  ["the model", "- Model: scripted"],
  ["the original question", "> Please refund QH-1001."],
  ["the explanation", `> ${EXPLANATION}`],
  ["a cited passage with version and text hash", `- RETURNS:p02:en:0 (2026-09, \`${pageHash}\`)`],
  ["a cited record", "- get_order:QH-1001"],
  ["the quote id", quote().quoteId],
  ["the rule version", "- Rules: returns-2026-09"],
  ["the business date", "- Business date: 2026-09-12"],
  ["the policy pages", "- Policy pages: RETURNS:p02, RETURNS:p03"],
  ["the amount in words and cents", "CNY 129.00 (12900)"],
  ["the digest", `\`${approval().digest}\``],
  ["who decided", "- Reviewer: chen"],
  ["when", "- Decided: 2026-09-12T08:04:00.000Z"],
  ["why", "- Reason: goods checked"],
  ["the receipt", `- Receipt: ${receipt.receiptId}`],
  ["that it is simulated", "**SIMULATED**"],
])("the record holds %s", (_what, text) => {
  expect(file).toContain(text);
});

test("settling adds the receipt and keeps the explanation that the reviewer saw", () => {
  const before = renderCaseRecord(caseRecordOf(row(), approval()));
  expect(before).toContain(`> ${EXPLANATION}`);
  expect(before).toContain("waits for a reviewer; nothing has been paid");
  expect(before).not.toContain("SIM-");
  expect(file).toContain(`> ${EXPLANATION}`);
  expect(file).toContain("executed (simulated)");
});

/** What stands in the one fenced block at the end of a file. */
function dataOf(text: string): unknown {
  const [, json = ""] = /\n```json\n([^\n]*)\n```\n$/.exec(text) ?? [];
  return JSON.parse(json);
}

test("the file ends with the canonical JSON it was rendered from", () => {
  const read = CaseRecord.parse(dataOf(file));
  expect(read).toEqual(record);
  expect(file).toContain(`\n${canonicalJson(record)}\n`);
  expect(renderCaseRecord(read)).toBe(file);
  expect(file.match(/^```/gm)).toHaveLength(2);
});

test("the same record is the same text", () => {
  const reordered = CaseRecord.parse(Object.fromEntries(Object.entries(record).reverse()));
  expect(renderCaseRecord(reordered)).toBe(file);
});

const HOSTILE = [
  "![logo](https://evil.example/x.png)",
  "[click](javascript:alert(1))",
  "[ref][1]\n\n[1]: https://evil.example",
  "<img src=x onerror=alert(1)>",
  "<https://evil.example>",
  "https://evil.example/path",
  "www.evil.example",
  "WWW.evil.example",
  "```\ncode\n```",
  "~~~\ncode\n~~~",
  "# heading",
  "## Receipt\n\n- Receipt: SIM-forged",
  "| a | b |\n|---|---|",
  "`code` **bold** _it_",
  "\\![x](y)",
  "&lt;b&gt;",
  "---\n***",
  "a\n===",
  "1. list\n- list\n+ list",
];

/** Everything above the data block. */
const shown = (text: string): string => text.slice(0, text.lastIndexOf("```json"));

test.each(HOSTILE)("%j in question, answer, model and reason stays text", (hostile) => {
  const rejected = Approval.parse({
    ...approval(),
    state: "rejected",
    reviewer: "chen",
    decidedAt: settled.decidedAt,
    reason: hostile,
  });
  const text = renderCaseRecord(
    caseRecordOf(
      row({ question: hostile, model: hostile.replaceAll("\n", " "), status: "rejected" }, hostile),
      rejected,
    ),
  );
  const above = shown(text);
  expect(above).not.toMatch(/(?<!\\)!\[/);
  expect(above).not.toMatch(/(?<!\\)\]\s*\(|(?<!\\)\]:/);
  expect(above).not.toMatch(/<[a-z!/]/i);
  expect(above).not.toMatch(/:\/\/|\bwww\./i);
  expect(above).not.toMatch(/^\s*(```|~~~)/m);
  expect(above.match(/^#{1,6} /gm)).toEqual(renderHeadings(caseRecordOf(row({ status: "rejected" }), rejected)));
  expect(CaseRecord.parse(dataOf(text)).answer?.answer).toBe(hostile);
});

function renderHeadings(of: CaseRecord): RegExpMatchArray | null {
  return shown(
    renderCaseRecord({ ...of, decision: of.decision === null ? null : { ...of.decision, reason: null } }),
  ).match(/^#{1,6} /gm);
}

test("every line of an answer stays inside its quotation", () => {
  const text = renderCaseRecord(caseRecordOf(row({}, "one\r\n\r\n- Status: completed\nthree"), null));
  expect(text).toContain("> one\n> \n> - Status: completed\n> three");
});

test("a decision's reason of several lines adds no line of its own", () => {
  const forged = Approval.parse({ ...settled, reason: "fine\n\n## Receipt\n\n- Receipt: SIM-forged" });
  expect(shown(renderCaseRecord(caseRecordOf(row(), forged)))).not.toMatch(
    /^(## Receipt\n\n- Receipt: SIM-forged|- Receipt: SIM-forged)/m,
  );
});

test("a grant stays out of the file until its refund has been executed", () => {
  const approved = Approval.parse({ ...settled, state: "approved", receipt: null });
  expect(renderCaseRecord(caseRecordOf(row({ status: "queued" }), approved))).not.toContain("head.body.signature");
  expect(file).toContain("head.body.signature");
});

test("an order with a proposal in another case says where", () => {
  const liveProposal = { caseId: OTHER_CASE_ID, expiresAt: made.expiresAt };
  expect(renderCaseRecord(caseRecordOf(row({ status: "completed", liveProposal }), null))).toContain(
    `This order already has a proposal in case ${OTHER_CASE_ID}`,
  );
});

test("a case without an answer, a quote or a proposal says so", () => {
  const empty = renderCaseRecord(caseRecordOf(caseRow(), null));
  expect(empty.match(/^none$/gm)).toHaveLength(5);
});

test("a Chinese case has a Chinese record", () => {
  const text = renderCaseRecord(caseRecordOf(row({ language: "zh", question: "请退 QH-1001。" }), approval()));
  expect(text).toContain("## 问题\n\n> 请退 QH-1001。");
  expect(text).toContain("不会发生真实付款");
  expect(text).toContain("等待审核；尚未付款");
});

test.each([
  ["rejected", "reject"],
  ["withdrawn", "withdraw"],
  ["approved", "approve"],
  ["settled", "approve"],
] as const)("a %s row was decided by %s", (state, decision) => {
  const reviewer = state === "withdrawn" ? null : chen.user;
  const row = Approval.parse({ ...approval(), state, reviewer, decidedAt: settled.decidedAt, reason: null });
  expect(decisionOf(row)).toEqual({ decision, reviewer, decidedAt: settled.decidedAt, reason: null });
});

test("an undecided row has no decision", () => {
  expect(decisionOf(approval())).toBeNull();
  expect(decisionOf(approval({ state: "void", voidCode: "requoted" }))).toBeNull();
});
