/** Owns the case record: one Markdown file per outcome, rendered from one canonical JSON that stands at its end and can be checked. */
import { z } from "zod";
import type { Approval } from "./approval.js";
import { canonicalJson } from "./canonical.js";
import type { CaseRow } from "./case.js";
import { CaseEvidence, CaseStatus, LiveProposal } from "./case.js";
import { RECORD_WORDS, type RecordWords } from "./case-record-words.js";
import { Answer } from "./contracts.js";
import { CaseId, Instant, Language, Sha256Hex, UserId } from "./ids.js";
import { formatCny } from "./money.js";
import { Proposal } from "./proposal.js";
import { Receipt } from "./receipt.js";
import { Quote } from "./refund-policy.js";

export const CaseRecord = z.strictObject({
  kind: z.literal("qinghe.case-record.v1"),
  fictional: z.literal(true),
  caseId: CaseId,
  status: CaseStatus,
  language: Language,
  model: z.string(),
  openedAt: Instant,
  question: z.string(),
  answer: Answer.nullable(),
  evidence: CaseEvidence.nullable(),
  quote: Quote.nullable(),
  proposal: Proposal.nullable(),
  digest: Sha256Hex.nullable(),
  liveProposal: LiveProposal.nullable(),
  decision: z
    .strictObject({
      decision: z.string(),
      reviewer: UserId.nullable(),
      decidedAt: Instant,
      reason: z.string().nullable(),
    })
    .nullable(),
  grant: z.string().nullable(),
  receipt: Receipt.nullable(),
});
export type CaseRecord = z.infer<typeof CaseRecord>;

/** Puts together what is committed about a case. A proposal that nobody may act on any more appears only with its decision. */
export function caseRecordOf(row: CaseRow, approval: Approval | null): CaseRecord {
  return CaseRecord.parse({
    kind: "qinghe.case-record.v1",
    fictional: true,
    caseId: row.caseId,
    status: row.status,
    language: row.language,
    model: row.model,
    openedAt: row.createdAt,
    question: row.question,
    answer: row.answer,
    evidence: row.evidence,
    quote: row.quote,
    proposal: approval?.proposal ?? null,
    digest: approval?.digest ?? null,
    liveProposal: row.liveProposal,
    decision: approval === null ? null : decisionOf(approval),
    // A grant is worth money until its refund has been executed; before that it stays in the database.
    grant: approval?.state === "settled" ? approval.grant : null,
    receipt: approval?.receipt === null || approval === null ? null : JSON.parse(approval.receipt),
  });
}

/** What was decided and by whom, or null while nothing is. */
export function decisionOf(approval: Approval): {
  decision: "approve" | "reject" | "withdraw";
  reviewer: UserId | null;
  decidedAt: string;
  reason: string | null;
} | null {
  const { state, reviewer, decidedAt, reason } = approval;
  if (decidedAt === null) return null;
  const decision = state === "rejected" ? "reject" : state === "withdrawn" ? "withdraw" : "approve";
  return { decision, reviewer, decidedAt, reason };
}

/** The whole file. Text that people or models wrote is escaped: it shows, but cannot become a link, an image or markup. */
export function renderCaseRecord(record: CaseRecord): string {
  const words = RECORD_WORDS[record.language];
  const sections = [
    `# ${words.title}\n\n> ${words.notice}`,
    facts([
      [words.caseId, record.caseId],
      [words.status, words.statuses[record.status]],
      [words.model, oneLine(record.model)],
      [words.openedAt, record.openedAt],
    ]),
    section(words.question, quoted(record.question)),
    section(words.answer, record.answer === null ? words.none : quoted(record.answer.answer)),
    section(
      words.citations,
      list(record.answer?.citations ?? [], words, (id) => citationLine(id, record)),
    ),
    section(
      words.factsRead,
      list(record.evidence?.facts ?? [], words, (fact) => escapeMarkdown(fact.sourceId)),
    ),
    section(words.quote, record.quote === null ? words.none : quoteFacts(record.quote, words)),
    section(words.proposal, proposalText(record, words)),
    ...(record.decision === null ? [] : [section(words.decision, decisionFacts(record.decision, words))]),
    ...(record.receipt === null ? [] : [section(words.receipt, receiptFacts(record.receipt, words))]),
    `## ${words.data}\n\n\`\`\`json\n${canonicalJson(record)}\n\`\`\``,
  ];
  return `${sections.join("\n\n")}\n`;
}

function proposalText(record: CaseRecord, words: RecordWords): string {
  if (record.proposal !== null) {
    const { proposal } = record;
    return facts([
      [words.order, proposal.orderId],
      [words.amount, `${formatCny(proposal.amountCents)} (${proposal.amountCents})`],
      [words.standing, record.receipt !== null ? words.settled : (words.standings[record.status] ?? words.noneOpen)],
      [words.expiresAt, proposal.expiresAt],
      [words.digest, `\`${record.digest ?? ""}\``],
    ]);
  }
  return record.liveProposal === null ? words.none : `${words.elsewhere} ${record.liveProposal.caseId}`;
}

function quoteFacts(quote: Quote, words: RecordWords): string {
  return facts([
    [words.order, `${quote.orderId} (v${quote.orderVersion})`],
    [words.reason, quote.reason],
    [words.amount, `${formatCny(quote.amountCents)} (${quote.amountCents})`],
    [words.businessDate, quote.businessDate],
    [words.rules, quote.ruleVersion],
    [words.pages, quote.policyPages.map(({ page }) => page).join(", ") || words.none],
    [words.quoteId, `\`${quote.quoteId}\``],
  ]);
}

function decisionFacts(decision: NonNullable<CaseRecord["decision"]>, words: RecordWords): string {
  return facts([
    [words.decision, decision.decision],
    [words.reviewer, decision.reviewer ?? words.none],
    [words.decidedAt, decision.decidedAt],
    [words.reason, decision.reason === null ? words.none : oneLine(decision.reason)],
  ]);
}

function receiptFacts(receipt: Receipt, words: RecordWords): string {
  return `**SIMULATED**\n\n${facts([
    [words.receiptId, receipt.receiptId],
    [words.order, receipt.orderId],
    [words.amount, `${formatCny(receipt.amountCents)} (${receipt.amountCents})`],
    [words.executedAt, receipt.executedAt],
  ])}`;
}

function citationLine(id: string, record: CaseRecord): string {
  const passage = record.evidence?.passages.find((candidate) => candidate.id === id);
  return passage === undefined ? escapeMarkdown(id) : `${passage.id} (${passage.version}, \`${passage.textHash}\`)`;
}

function section(title: string, body: string): string {
  return `## ${title}\n\n${body}`;
}

function facts(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([name, value]) => `- ${name}: ${value}`).join("\n");
}

function list<T>(items: readonly T[], words: RecordWords, line: (item: T) => string): string {
  return items.length === 0 ? words.none : items.map((item) => `- ${line(item)}`).join("\n");
}

function quoted(text: string): string {
  return escapeMarkdown(text)
    .split(/\r?\n/)
    .map((line) => `> ${line}`)
    .join("\n");
}

/** A value in a list: a line break in it could add a line that looks like one of ours. */
function oneLine(text: string): string {
  return escapeMarkdown(text).replace(/\s+/g, " ");
}

/** Whatever could start markup is written as text, and an address loses the colon that would make it a link. */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/[\\`*[\]#!|~]|(?<!\p{L}|\p{N})_|_(?!\p{L}|\p{N})/gu, "\\$&")
    .replaceAll("://", "&#58;//")
    .replace(/\b(www)\./gi, "$1&#46;");
}
