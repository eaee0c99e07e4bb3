/** Owns the tables of application.db and their migrations. Text that a digest covers is kept as text; amounts and times never as floating point. */
import { type Generated, type Kysely, type Migration, sql } from "kysely";
import { LIMITS } from "../domain/limits.js";

export type ApplicationSchema = {
  leases: { case_id: string; epoch: number; owner: string | null; expires_ms: number };
  cases: {
    case_id: string;
    tenant: string;
    applicant: string;
    question: string;
    language: string;
    model: string;
    graph_version: string;
    status: string;
    phase: string;
    order_id: string | null;
    answer: string | null;
    quote: string | null;
    evidence: string | null;
    live_proposal: string | null;
    artifact: string | null;
    error_code: string | null;
    created_at: string;
    updated_at: string;
  };
  budgets: { case_id: string; model_used: number; tool_used: number };
  approvals: {
    approval_id: string;
    case_id: string;
    round: number;
    tenant: string;
    order_id: string;
    proposal: string;
    digest: string;
    state: string;
    void_code: string | null;
    reviewer: string | null;
    decided_at: string | null;
    reason: string | null;
    grant_jws: string | null;
    receipt: string | null;
    expires_at: string;
  };
  preferences: { tenant: string; user_name: string; language: string; consented_at: string };
  notes: { case_id: string; number: number; note: string };
  purges: { case_id: string; events: number; last_hash: string; purged_at: string; purged_by: string };
  events: {
    seq: Generated<number>;
    case_id: string;
    number: number;
    at: string;
    phase: string;
    status: string;
    tool: string | null;
    code: string | null;
    duration_ms: number | null;
    input_tokens: number | null;
    output_tokens: number | null;
    cause: string | null;
    prev_hash: string;
    hash: string;
  };
};

const FIRST_TABLES = [
  `create table leases (
    case_id text primary key,
    epoch integer not null,
    owner text,
    expires_ms bigint not null
  )`,
  `create table cases (
    case_id text primary key,
    tenant text not null,
    applicant text not null,
    question text not null,
    language text not null,
    model text not null,
    graph_version text not null,
    status text not null,
    phase text not null,
    order_id text,
    answer text,
    quote text,
    evidence text,
    live_proposal text,
    artifact text,
    error_code text,
    created_at text not null,
    updated_at text not null
  )`,
  "create index cases_by_owner on cases (tenant, applicant, created_at)",
  `create table budgets (
    case_id text primary key,
    model_used integer not null default 0 check (model_used between 0 and ${LIMITS.modelRequestsPerCase}),
    tool_used integer not null default 0 check (tool_used between 0 and ${LIMITS.toolRequestsPerCase})
  )`,
  `create table approvals (
    approval_id text primary key,
    case_id text not null,
    round integer not null,
    tenant text not null,
    order_id text not null,
    proposal text not null,
    digest text not null,
    state text not null,
    void_code text,
    reviewer text,
    decided_at text,
    reason text,
    grant_jws text,
    receipt text,
    expires_at text not null,
    unique (case_id, round)
  )`,
  // The database itself refuses a second proposal that could still be paid, whatever any process believes.
  `create unique index one_live_proposal_per_order on approvals (tenant, order_id) where state in ('pending', 'approved')`,
  `create table preferences (
    tenant text not null,
    user_name text not null,
    language text not null,
    consented_at text not null,
    primary key (tenant, user_name)
  )`,
  `create table notes (
    case_id text not null,
    number integer not null,
    note text not null,
    primary key (case_id, number)
  )`,
  `create table events (
    seq integer primary key autoincrement,
    case_id text not null,
    number integer not null,
    at text not null,
    phase text not null,
    status text not null,
    tool text,
    code text,
    duration_ms integer,
    input_tokens integer,
    output_tokens integer,
    cause text,
    prev_hash text not null,
    hash text not null,
    unique (case_id, number)
  )`,
];

export const APPLICATION_MIGRATIONS: Record<string, Migration> = {
  "0001_first": {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const statement of FIRST_TABLES) await sql.raw(statement).execute(db);
    },
  },
  "0002_purges": {
    async up(db: Kysely<unknown>): Promise<void> {
      // One line per purged case stays for good: how many events there were, and the hash the chain ended with.
      await sql`create table purges (
        case_id text primary key,
        events integer not null,
        last_hash text not null,
        purged_at text not null,
        purged_by text not null
      )`.execute(db);
    },
  },
};
