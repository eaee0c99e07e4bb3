/** Owns checking a case record without the system that wrote it: each statement that can be recomputed is, and what could not be is said. */

import { digestOf } from "./canonical.js";
import { CaseRecord, renderCaseRecord } from "./case-record.js";
import { proposalDigest } from "./proposal.js";
import { receiptDifferences } from "./receipt.js";
import { parseJsonObject } from "./strict-json.js";

export type CheckResult = { check: RecordCheck; result: "ok" | "failed" | "not_checked"; detail?: string };
export type RecordCheck =
  | "data_readable"
  | "text_matches_data"
  | "proposal_digest"
  | "quote_id"
  | "grant_signature"
  | "grant_covers_proposal"
  | "receipt_matches_proposal"
  | "cited_texts"
  | "status_consistent"
  | "unsigned_parts";

export type OpenedGrant = { digest: string; reviewer: string; decidedAt: string };

/** What has to come from outside: a public key, and the documents. Either may be missing. */
export type Verifiers = {
  /** The approved proposal's digest, its reviewer and when, if the grant is signed with the known key, null if it is not, undefined without a key. */
  openGrant: (grant: string) => Promise<OpenedGrant | null | undefined>;
  /** The hash of a passage's text today, null when there is no such passage, undefined without documents. */
  passageHash: (passageId: string) => string | null | undefined;
};

const RECORD_CHARS = 400_000;

/** The record inside a file, or null when there is none that can be read. */
export function recordIn(text: string): CaseRecord | null {
  const json = /^```json\n(.*)\n```\s*$/m.exec(text)?.[1];
  const parsed = json === undefined ? null : parseJsonObject(json, RECORD_CHARS);
  const record = parsed?.ok ? CaseRecord.safeParse(parsed.value) : null;
  return record?.success ? record.data : null;
}

export async function verifyCaseRecord(text: string, verifiers: Verifiers): Promise<CheckResult[]> {
  const record = recordIn(text);
  if (record === null)
    return [{ check: "data_readable", result: "failed", detail: "no case record at the end of the file" }];
  return [
    { check: "data_readable", result: "ok" },
    judged("text_matches_data", renderCaseRecord(record) === text),
    checkDigest(record),
    checkQuote(record),
    ...(await checkGrant(record, verifiers)),
    checkReceipt(record),
    checkCitations(record, verifiers),
    judged("status_consistent", isConsistent(record)),
    notChecked(
      "unsigned_parts",
      "question, answer, records read, model, language, reason, and the times of opening and execution",
    ),
  ];
}

function judged(check: RecordCheck, holds: boolean, detail?: string): CheckResult {
  return { check, result: holds ? "ok" : "failed", ...(holds || detail === undefined ? {} : { detail }) };
}

function notChecked(check: RecordCheck, detail: string): CheckResult {
  return { check, result: "not_checked", detail };
}

function checkDigest({ proposal, digest }: CaseRecord): CheckResult {
  if (proposal === null) return notChecked("proposal_digest", "the case has no proposal");
  return judged("proposal_digest", proposalDigest(proposal) === digest);
}

function checkQuote({ quote }: CaseRecord): CheckResult {
  if (quote === null) return notChecked("quote_id", "the case has no quote");
  const { quoteId, ...fields } = quote;
  return judged("quote_id", digestOf("qinghe.refund-quote.v1", fields) === quoteId);
}

async function checkGrant({ grant, digest, decision }: CaseRecord, { openGrant }: Verifiers): Promise<CheckResult[]> {
  if (grant === null) return [notChecked("grant_signature", "the record holds no grant")];
  const opened = await openGrant(grant);
  if (opened === undefined) return [notChecked("grant_signature", "no public key at hand")];
  if (opened === null) return [judged("grant_signature", false, "not signed with the known key")];
  const covers =
    opened.digest === digest && opened.reviewer === decision?.reviewer && opened.decidedAt === decision.decidedAt;
  return [judged("grant_signature", true), judged("grant_covers_proposal", covers)];
}

function checkReceipt({ receipt, proposal }: CaseRecord): CheckResult {
  if (receipt === null) return notChecked("receipt_matches_proposal", "the record holds no receipt");
  const differences = proposal === null ? ["proposal"] : receiptDifferences(receipt, proposal);
  return judged("receipt_matches_proposal", differences.length === 0, differences.join(", "));
}

function checkCitations({ evidence }: CaseRecord, { passageHash }: Verifiers): CheckResult {
  const passages = evidence?.passages ?? [];
  if (passages.length === 0) return notChecked("cited_texts", "the record rests on no passage");
  const today = passages.map(({ id, textHash }) => ({ id, known: passageHash(id), textHash }));
  if (today.some(({ known }) => known === undefined)) return notChecked("cited_texts", "no documents at hand");
  const changed = today.filter(({ known, textHash }) => known !== textHash).map(({ id }) => id);
  return judged("cited_texts", changed.length === 0, `changed since: ${changed.join(", ")}`);
}

/** A receipt needs an approval, a rejection leaves none, and a completed refund has its receipt. */
function isConsistent({ caseId, status, receipt, decision, proposal, quote, grant }: CaseRecord): boolean {
  if (proposal !== null && proposal.caseId !== caseId) return false;
  if (receipt !== null) {
    const paid = status === "completed" && decision?.decision === "approve" && grant !== null;
    return paid && proposal !== null && quote?.quoteId === proposal.quoteId;
  }
  if (decision?.decision === "reject") return status === "rejected";
  if (decision?.decision === "withdraw") return status === "withdrawn";
  return status !== "rejected" && status !== "withdrawn";
}
