/** Owns what a node is given besides state: the case it works on, who drives it, until when, and where its events go. */

import type { Identity } from "../domain/identity.js";
import type { CaseId, Language } from "../domain/ids.js";
import type { Applicant, NewEvent } from "../domain/ports.js";

/** How decisions are signed on this host: the name an answer carries in `by`, and what there is to know about it. */
export type Signing = { by: string; note: Record<Language, string> };

export type Unit = {
  caseId: CaseId;
  /** Bound by the host for this run. Never taken from state or input. */
  caller: Identity;
  /** Whose records the case may touch, from its row, whoever drives the run. Throws `case_not_accessible` before the case is opened. */
  applicant: () => Applicant;
  /** Who an answer to the waiting case counts for: the caller, or another identity the host has bound for exactly that. */
  callerFor: (answer: unknown) => Identity;
  signing: Signing;
  signal: AbortSignal;
  /** Milliseconds left for this phase. */
  remainingMs: () => number;
  /** Events are written together when the node ends. */
  note: (event: NewEvent) => void;
};

/** A phase of a case as a plain function: state in, update out. Which node comes next is not its business. */
export type Node<State, Update> = (state: State, unit: Unit) => Promise<Update>;
