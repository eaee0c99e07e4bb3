/**
 * What a case's life should be, as a page of plain rules: the reference that the product is compared with. It knows orders, proposals,
 * decisions and time; it knows no graph, no database and no process.
 */
export const MINUTE_MS = 60_000;
export const APPROVAL_MS = 15 * MINUTE_MS;

export type State = "pending" | "approved" | "rejected" | "withdrawn" | "void" | "settled";
export type ReferenceApproval = {
  round: number;
  state: State;
  voidCode: "requoted" | "expired" | "stale" | "grant_refused" | null;
  createdMs: number;
  amountCents: number;
  orderVersion: number;
  /** Approved by a reviewer, not by an edited row. */
  granted: boolean;
  paid: boolean;
};
export type ReferenceCase = {
  id: string;
  orderId: string;
  /** Null while nothing is known: the process that worked on it was killed. */
  status: string | null;
  /** Whether its answer has been handed over. */
  delivered: boolean;
  approval: ReferenceApproval | null;
  /** Undefined when a failure on the way may have left another one, or none. */
  errorCode: string | null | undefined;
  /** Until then the lease of a killed process keeps others away. */
  busyUntilMs: number;
  /** New input has led the graph of an approved case back to its question; a plain continue then pays nothing. */
  astray: boolean;
};
export type ReferenceOrder = { paidCents: number; refundedCents: number; version: number };
export type Reference = {
  nowMs: number;
  orders: Record<string, ReferenceOrder>;
  cases: ReferenceCase[];
  /** Receipts that will be lost on their way. */
  lose: number;
  /** Somebody wrote into the approvals table. */
  tampered: boolean;
};

export type Person = "alice" | "chen" | "bob" | "mei";
export type Verb = "approve" | "reject" | "requote" | "withdraw";

export const isBusy = (ref: Reference, it: ReferenceCase): boolean => ref.nowMs <= it.busyUntilMs;
export const isExpired = (ref: Reference, { createdMs }: ReferenceApproval): boolean =>
  ref.nowMs > createdMs + APPROVAL_MS;
const isOpen = ({ state, voidCode }: ReferenceApproval): boolean =>
  state === "pending" || (state === "void" && voidCode !== "requoted");

export function orderOf(ref: Reference, it: ReferenceCase): ReferenceOrder {
  const order = ref.orders[it.orderId];
  if (order === undefined) throw new Error("unknown order");
  return order;
}

/** Hands a case over: a proposal if there is something to refund and no other live one for the order. */
function place(ref: Reference, it: ReferenceCase): void {
  const order = orderOf(ref, it);
  const amountCents = order.paidCents - order.refundedCents;
  it.delivered = true;
  it.errorCode = null;
  it.status = "completed";
  if (amountCents === 0) return;
  for (const { approval } of ref.cases.filter((other) => other !== it && other.orderId === it.orderId)) {
    if (approval?.state === "approved") return;
    if (approval?.state !== "pending") continue;
    if (!isExpired(ref, approval)) return;
    approval.state = "void";
    approval.voidCode = "expired";
  }
  it.status = "waiting_approval";
  it.approval = {
    round: (it.approval?.round ?? 0) + 1,
    state: "pending",
    voidCode: null,
    createdMs: ref.nowMs,
    amountCents,
    orderVersion: order.version,
    granted: false,
    paid: false,
  };
}

/** The code an answer is refused with, or null. The order is the contract. */
export function refusal(ref: Reference, it: ReferenceCase, who: Person, verb: Verb, rightDigest: boolean) {
  if (who === "bob" || who === "mei") return "case_not_accessible";
  if (it.approval === null) return "case_not_waiting";
  if (who === "alice" && (verb === "approve" || verb === "reject")) return "not_reviewer";
  if (who === "chen" && verb === "withdraw") return "decision_not_yours";
  if (!rightDigest) return "digest_mismatch";
  if (!isOpen(it.approval)) return "already_decided";
  const late = it.approval.state === "void" || isExpired(ref, it.approval);
  return verb === "approve" && late ? "approval_expired" : null;
}

/** What a recorded decision does to its row; the case has not followed yet. */
export function record(it: ReferenceCase, verb: Verb): void {
  const { approval } = it;
  if (approval === null) throw new Error("nothing to decide");
  if (verb === "approve") Object.assign(approval, { state: "approved", granted: true });
  if (verb === "reject") approval.state = "rejected";
  if (verb === "withdraw") approval.state = "withdrawn";
  if (verb === "requote") Object.assign(approval, { state: "void", voidCode: "requoted" });
}

/** Moves a case to where its row leads. Only `pay` executes an approved refund. */
export function follow(ref: Reference, it: ReferenceCase, pay: boolean): void {
  const { approval } = it;
  it.astray = false;
  if (!it.delivered || (approval?.voidCode === "requoted" && it.status !== "completed")) place(ref, it);
  else if (approval === null) it.status = "completed";
  else followRow(ref, it, approval, pay);
}

function followRow(ref: Reference, it: ReferenceCase, approval: ReferenceApproval, pay: boolean): void {
  if (approval.state === "rejected" || approval.state === "withdrawn") it.status = approval.state;
  else if (approval.state === "settled") it.status = "completed";
  else if (isOpen(approval)) it.status = "waiting_approval";
  else if (approval.state === "approved" && pay) settle(ref, it, approval);
  else if (approval.state === "approved") it.status = "queued";
  if (approval.state !== "approved" && approval.state !== "void") it.errorCode = null;
}

function whyNotPaid(ref: Reference, approval: ReferenceApproval, order: ReferenceOrder): [string, string] | null {
  if (!approval.granted) return ["grant_refused", "grant_invalid"];
  if (isExpired(ref, approval)) return ["expired", "approval_expired"];
  return approval.orderVersion === order.version ? null : ["stale", "quote_changed"];
}

function settle(ref: Reference, it: ReferenceCase, approval: ReferenceApproval): void {
  const order = orderOf(ref, it);
  if (!approval.paid) {
    const [voidCode, errorCode] = whyNotPaid(ref, approval, order) ?? [];
    if (voidCode !== undefined) {
      Object.assign(approval, { state: "void", voidCode });
      Object.assign(it, { status: "waiting_approval", errorCode });
      return;
    }
    order.refundedCents += approval.amountCents;
    order.version += 1;
    approval.paid = true;
  }
  // A lost reply is asked for once more with the same key.
  const lost = Math.min(2, ref.lose);
  ref.lose -= lost;
  if (lost === 2) Object.assign(it, { status: "queued", errorCode: "settlement_outcome_unknown" });
  else {
    approval.state = "settled";
    Object.assign(it, { status: "completed", errorCode: null });
  }
}
