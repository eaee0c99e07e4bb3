/** Owns what nodes and tools may ask of the outside. All asynchronous, also where SQLite is not, so that another store can take its place. */
import type { Approval, DecisionRefusal } from "./approval.js";
import type { CaseRow, CaseUpdate, LiveProposal } from "./case.js";
import type { CommerceReadTool, ReceiptWire, TicketWire, ToolErrorWire } from "./commerce-wire.js";
import type { ErrorCode } from "./errors.js";
import type { Identity } from "./identity.js";
import type { CaseId, Language, OrderId, TenantId, UserId } from "./ids.js";
import type { DocumentHeader, Passage } from "./policy-document.js";
import type { Proposal } from "./proposal.js";
import type { PolicyBasis } from "./refund-policy.js";
import type { RefundRules } from "./refund-rules.js";

/** Whose records a case may touch: always its applicant, whoever drives the run. */
export type Applicant = { tenant: TenantId; user: UserId };

export type CallOptions = {
  signal?: AbortSignal | undefined;
  /** Milliseconds left until the call's deadline. Asked when they are needed, so that whatever was slow before has used them up. */
  remainingMs: () => number;
};

export type ToolSpec = { name: string; description: string; schema: Record<string, unknown> };

/** A read that worked, or the reason it did not; `cancelled` is never shown to a model. */
export type ReadOutcome =
  | { kind: "ok"; data: Record<string, unknown> }
  | { kind: "error"; error: ToolErrorWire }
  | { kind: "cancelled" };

/** Read-only access to commerce records. The only commerce port that tools can name. */
export type CommerceReads = {
  specs(): Promise<ToolSpec[]>;
  call(tool: CommerceReadTool, args: Record<string, unknown>, options: CallOptions): Promise<ReadOutcome>;
};

/** The ticket command's port; no node and no tool can name it. */
export type CommerceTickets = {
  create(
    input: { orderId: OrderId; summary: string; key: string },
    options: CallOptions,
  ): Promise<{ kind: "ok"; ticket: TicketWire } | { kind: "error"; error: ToolErrorWire }>;
};

/** What is known after asking for a payment. `unknown`: it may or may not have happened; ask again with the same approval. */
export type SettlementOutcome =
  | { kind: "receipt"; receipt: ReceiptWire }
  | { kind: "refused"; error: ToolErrorWire }
  | { kind: "unknown"; code: ErrorCode };

/** The paying port; only the settle node can name it. */
export type CommerceSettlement = {
  execute(approvalId: string, grant: string, options: CallOptions): Promise<SettlementOutcome>;
};

/** One commerce connection per applicant. */
export type CommerceFor = (applicant: Applicant) => CommerceReads;
export type SettlementFor = (applicant: Applicant) => CommerceSettlement;

export type FoundPassage = Passage & { score: number };

/** The documents, always filtered by tenant, language, status and date before anything else. */
export type Knowledge = {
  search(scope: KnowledgeScope, query: string): Promise<{ passages: FoundPassage[]; covered: boolean }>;
  read(scope: KnowledgeScope, passageId: string): Promise<Passage | null>;
  /** All passages of one page in one language, or an empty list when the page is not in force for the scope. */
  page(scope: KnowledgeScope, pageId: string): Promise<{ passages: Passage[]; header: DocumentHeader | null }>;
};
export type KnowledgeScope = { tenant: TenantId; language: Language };

/** The executable refund policy: its rules and the pages they rest on. */
export type RefundTerms = {
  rules: RefundRules;
  businessDate: string;
  /** The mandatory pages with their hashes for a tenant; empty for a tenant without an automatic policy. Throws when pages and rules disagree. */
  basisFor(tenant: TenantId): PolicyBasis;
};

export type Procedures = {
  list(): { name: string; description: string }[];
  load(name: string, language: Language): string | null;
};

/** The case row. Every write needs the case's lease and is refused with `lease_lost` without it. */
export type Cases = {
  open(row: CaseRow): Promise<void>;
  find(caseId: CaseId): Promise<CaseRow | null>;
  update(caseId: CaseId, change: CaseUpdate, events?: readonly NewEvent[]): Promise<void>;
};

export type BudgetKind = "model" | "tool";
export type Budget = {
  /** Charges up to `count` requests in one transaction before any is sent; returns how many were granted. */
  charge(caseId: CaseId, kind: BudgetKind, count: number): Promise<number>;
};

/** What happened when a proposal was to be made. */
export type ProposalPlacing = { kind: "placed"; approval: Approval } | { kind: "occupied"; live: LiveProposal };

export type Approvals = {
  latest(caseId: CaseId): Promise<Approval | null>;
  /** Inserts the proposal and updates the case row in one transaction, closing an expired pending row of the same order. */
  place(proposal: Proposal, round: number, change: CaseUpdate, events: readonly NewEvent[]): Promise<ProposalPlacing>;
  /** Records a decision by compare-and-set, with the signed grant when it approves, in one transaction. */
  decide(
    caseId: CaseId,
    raw: unknown,
    caller: Identity,
  ): Promise<{ ok: true; approval: Approval } | { ok: false; code: DecisionRefusal }>;
  /** Marks an approved proposal settled with its receipt, and ends the case, in one transaction. */
  settle(
    caseId: CaseId,
    round: number,
    receipt: string,
    change: CaseUpdate,
    events: readonly NewEvent[],
  ): Promise<void>;
  /** Marks an approved proposal void after the service has said that nothing was and nothing will be paid. */
  voidUnpaid(
    caseId: CaseId,
    round: number,
    code: "expired" | "stale" | "grant_refused",
    change: CaseUpdate,
    events: readonly NewEvent[],
  ): Promise<void>;
};

export type Preferences = { language(owner: Applicant): Promise<Language | null> };

export type Notes = {
  list(caseId: CaseId): Promise<string[]>;
  /** False when the case already keeps its three notes. */
  add(caseId: CaseId, note: string): Promise<boolean>;
};

/** What an event may hold. Never question text, prompts, exception text or secrets. */
export type NewEvent = {
  /** When it happened; without it, when it is written. */
  at?: string | undefined;
  phase: string;
  status: string;
  tool?: string | undefined;
  code?: string | undefined;
  durationMs?: number | undefined;
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  /** A redacted cause for engineers, found by the event's number. */
  cause?: string | undefined;
};

export type Events = {
  /** Written with the next write of the case, and at the latest when its lease is renewed or let go. */
  append(caseId: CaseId, events: readonly NewEvent[]): Promise<void>;
};

/** Writes the case's Markdown record from what is committed, and returns its path below the state directory. */
export type Artifacts = { write(caseId: CaseId): Promise<string> };

export type ModelStep = "plan" | "investigate" | "compose" | "critique";
/** One past turn of an investigation: what the model said and asked for, and the one answer each call got. */
export type ModelTurn = {
  text: string;
  calls: { id: string; name: string; args: Record<string, unknown> }[];
  answers: { id: string; name: string; ok: boolean; content: string }[];
};
export type ModelRequest = { step: ModelStep; system: string; user: string; turns: ModelTurn[]; tools: ToolSpec[] };
/** A tool call as the model sent it. `args` is whatever arrived; `malformed` when it was not JSON at all. */
export type RawToolCall = { id: string | undefined; name: string; args: unknown; malformed: boolean };
/** `usage` is null when the provider did not say: unknown is not zero. */
export type ModelReply = {
  text: string;
  calls: RawToolCall[];
  usage: { inputTokens: number; outputTokens: number } | null;
};
/** One request, one reply, no retry. Throws `AftersalesError` with a `model_…` or `invalid_model_output` code. */
export type ChatModels = {
  /** Shown wherever an answer is shown: the model id, or that this is the rehearsal model. */
  label: string;
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
};

/** A case as people look at it: everything re-read from disk. */
export type CaseFile = {
  row: CaseRow;
  approval: Approval | null;
  budget: { model: number; tool: number };
  /** The cited passages whose text is still the one that was cited. */
  passages: Passage[];
  /** The number of the newest event that keeps the cause of the case's error, or null. */
  causeEvent: number | null;
};

export type CaseEvent = {
  number: number;
  at: string;
  phase: string;
  status: string;
  tool: string | null;
  code: string | null;
  durationMs: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  /** Whether the log keeps a cause with it, for the merchant's staff. */
  hasCause: boolean;
};

export type CaseReader = {
  /** Throws `case_not_accessible`: absent, foreign and other tenants' cases alike. */
  read(caseId: string, caller: Identity): Promise<CaseFile>;
  events(caseId: CaseId): Promise<CaseEvent[]>;
  /** One event by its number, with the redacted cause. Throws `event_not_found`, and `not_reviewer`: causes name paths and statements. */
  event(caseId: CaseId, number: number, caller: Identity): Promise<CaseEvent & { cause: string | null }>;
  list(caller: Identity, status: string | null): Promise<CaseRow[]>;
};

/** What is reported while a case is worked on. */
export type Progress = (event: {
  phase: string;
  status: string;
  tool?: string | undefined;
  code?: string | undefined;
}) => void;
