/** Owns what the review looks at: the candidate answer beside the records and passages it may rest on. */
import { findOrderIds } from "../../domain/order-ids.js";
import {
  type CaseView,
  type InvoiceFact,
  type OrderFact,
  type PassageView,
  type QuoteFact,
  readCase,
  readInvoice,
  readOrder,
  readQuote,
} from "./case-view.js";
import { type Clause, plainNumbers, readClauses } from "./claims.js";
import type { Defect } from "./phrase-book.js";
import { type Fields, fieldsOf, textOf, textsOf } from "./untyped.js";

export type Candidate = {
  view: CaseView;
  answer: string;
  citations: string[];
  nextAction: string;
  /** What the answer says in its own words: sentences copied from a cited passage are left out. */
  clauses: Clause[];
  cited: PassageView[];
  order: OrderFact | null;
  quote: QuoteFact | null;
  invoice: InvoiceFact | null;
};

export type Finding = { defect: Defect; detail: string };
export type Check = (candidate: Candidate) => Finding[];

export function finding(defect: Defect, detail: string | number = ""): Finding {
  return { defect, detail: String(detail).slice(0, 120) };
}

const COPIED_CHARS = 12;

export function readCandidate(data: Fields): Candidate {
  const view = readCase(data);
  const { answer, citations, next_action } = fieldsOf(data.candidate);
  const ids = textsOf(citations);
  const cited = view.evidence.filter(({ id }) => ids.includes(id));
  const text = textOf(answer);
  const subject = subjectOf(view);
  return {
    view,
    answer: text,
    citations: ids,
    nextAction: textOf(next_action),
    clauses: ownClauses(text, cited),
    cited,
    order: readOrder(view, subject),
    quote: readQuote(view, subject),
    invoice: readInvoice(view, subject).invoice,
  };
}

/** The order the records are about. */
function subjectOf(view: CaseView): string | null {
  const source = [...view.facts.keys()].find((id) => /^(?:calculate_refund|get_order):/.test(id));
  return source === undefined ? null : (findOrderIds(source)[0] ?? null);
}

function ownClauses(answer: string, cited: readonly PassageView[]): Clause[] {
  const bodies = cited.map(({ body }) => plainNumbers(body));
  return readClauses(answer).filter(
    ({ text }) => text.length < COPIED_CHARS || !bodies.some((body) => body.includes(text)),
  );
}
