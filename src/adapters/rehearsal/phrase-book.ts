/** Owns the form of a phrase table: every sentence the rehearsal model can say, in one language. Values are formatted before they come here. */

export type Moment = { order: string; deliveredOn: string; days: number; businessDate: string | null };
export type Named = { order: string };

export type Phrases = {
  /** Between sentences. */
  gap: string;
  // what stands in the record
  delivered: (moment: Moment) => string;
  insideWindow: (days: number | null) => string;
  receiptRegistered: string;
  amount: (parts: { amount: string; paid: string; earlier: string | null }) => string;
  freightStays: (parts: { freight: string | null; invoiceTotal: string | null }) => string;
  invoiceIsNotRefund: (total: string) => string;
  amountFromRecord: string;
  onlyWholeAmount: string;
  // what happens next
  waitsForReviewer: string;
  nothingStarted: (named: Named) => string;
  noRefundStarted: string;
  humanChannel: string;
  // why there is no automatic refund
  outsideWindow: (days: number | null) => string;
  notReceived: string;
  notDelivered: Readonly<Record<"processing" | "shipped" | "cancelled" | "other", (named: Named) => string>>;
  excluded: Readonly<Record<"custom" | "digital" | "other", (named: Named) => string>>;
  quantity: (named: Named & { quantity: number }) => string;
  alreadyRefunded: (parts: Named & { paid: string; earlier: string }) => string;
  manualReview: (named: Named) => string;
  otherReason: (named: Named) => string;
  // when there is no answer
  notAccessible: string;
  unreadable: string;
  sendOneOrder: string;
  notCovered: string;
  askWhat: string;
  greeting: string;
  // other topics
  terms: (heading: string, text: string) => string;
  forAnOrder: string;
  status: Readonly<Record<"processing" | "shipped" | "delivered" | "cancelled" | "other", (named: Named) => string>>;
  statusWord: Readonly<Record<"processing" | "shipped" | "delivered" | "cancelled" | "other", string>>;
  lastEvent: (event: { status: string; date: string; carrier: string; tracking: string }) => string;
  noEvents: string;
  noArrivalPromise: string;
  noChangesHere: string;
  orderLine: (line: { order: string; status: string }) => string;
  orderCount: (count: number) => string;
  invoice: (
    parts: Named & { id: string; state: "issued" | "void" | "other"; total: string; paid: string; freight: string },
  ) => string;
  noInvoice: (named: Named) => string;
  invoiceKeepsTotal: (earlier: string) => string;
  noInvoiceChanges: string;
  warranty: (parts: Named & { name: string; sku: string; months: number; deliveredOn: string | null }) => string;
  noRepairFlow: (parts: Named & { name: string; sku: string }) => string;
  safety: string;
  humanDecidesRepair: string;
  // notes for the record
  summary: (facts: readonly string[], passages: number, open: readonly string[]) => string;
  // feedback of the review
  feedback: Readonly<Record<Defect, (detail: string) => string>>;
};

/** What the review can find; each has its sentence. */
export type Defect =
  | "nothing_to_rest_on"
  | "citation_unknown"
  | "page_not_cited"
  | "passage_not_shown"
  | "amount_unknown"
  | "amount_misplaced"
  | "invoice_as_refund"
  | "freight_promised"
  | "payment_claimed"
  | "other_order"
  | "date_unknown"
  | "days_unknown"
  | "wrong_day_count"
  | "wrong_window"
  | "eligibility_contradicted"
  | "not_eligible"
  | "reason_missing"
  | "amount_missing"
  | "window_missing"
  | "receipt_missing"
  | "receipt_contradicted"
  | "earlier_refund_missing"
  | "approval_missing"
  | "delivery_contradicted"
  | "existence_told";
