/** Owns the case as people read it in a terminal, in the case's language. */
import { formatCny } from "../domain/money.js";
import type { CaseEvent } from "../domain/ports.js";
import type { CaseView } from "./case-view.js";
import { CASE_WORDS } from "./case-words.js";
import { printable } from "./print.js";

/** Several short lines. `nowMs` tells how long a proposal still has. */
export function caseText(view: CaseView, nowMs: number): string {
  const words = CASE_WORDS[view.language];
  const line = (name: string, value: string): string => `${name}: ${printable(value)}`;
  const { proposal } = view;
  return [
    line(words.caseId, view.caseId),
    line(words.status, `${words.statuses[view.status] ?? view.status} (${view.status}, ${view.phase})`),
    line(words.model, view.model),
    line(words.question, view.question),
    ...(view.answer === undefined
      ? []
      : ["", printable(view.answer.answer), "", line(words.sources, view.answer.citations.join(", ") || words.none)]),
    ...(proposal === undefined
      ? []
      : [
          "",
          line(
            words.proposal,
            `${proposal.orderId}, ${formatCny(proposal.amountCents)} (${words.standings[proposal.state] ?? proposal.state})`,
          ),
          ...(proposal.state === "live"
            ? [line(words.timeLeft, minutesLeft(proposal.expiresAt, nowMs, words.minutes))]
            : []),
          line(words.digest, view.digest ?? ""),
        ]),
    ...(view.liveProposal === undefined
      ? []
      : [line(words.elsewhere, `${view.liveProposal.caseId} (${view.liveProposal.expiresAt})`)]),
    ...(view.decision === undefined
      ? []
      : [
          line(
            words.decision,
            [view.decision.decision, view.decision.reviewer, view.decision.decidedAt, view.decision.reason]
              .filter((part) => part !== undefined)
              .join(", "),
          ),
        ]),
    ...(view.receipt === undefined
      ? []
      : [line(words.receipt, `${view.receipt.receiptId}, ${formatCny(view.receipt.amountCents)} (SIMULATED)`)]),
    ...(view.artifact === undefined ? [] : [line(words.record, view.artifact)]),
    ...(view.error === undefined ? [] : ["", `${view.error.message} (${errorName(view.error, words.event)})`]),
    line(
      words.used,
      `${view.budget.model.used}/${view.budget.model.limit} ${words.modelRequests}, ${view.budget.tools.used}/${view.budget.tools.limit} ${words.toolRequests}`,
    ),
    ...(view.evidence === undefined
      ? []
      : [
          "",
          ...view.evidence.passages.map(({ id, title, body }) => `[${id}] ${printable(title)}\n  ${printable(body)}`),
          ...view.evidence.facts.map(({ id, data }) => `[${id}] ${printable(JSON.stringify(data))}`),
        ]),
    ...(view.events === undefined
      ? []
      : ["", ...view.events.map((event) => `${eventLine(event)}${event.hasCause ? ` (${words.causeKept})` : ""}`)]),
  ].join("\n");
}

/** `12. 2026-09-12T08:00:00.000Z investigate get_order refused tool_failed` */
export function eventLine(event: CaseEvent): string {
  return `${event.number}. ${event.at} ${event.phase} ${event.tool ?? ""} ${event.status} ${event.code ?? ""}`
    .replace(/ +/g, " ")
    .trim();
}

function errorName({ code, event }: NonNullable<CaseView["error"]>, word: string): string {
  return event === undefined ? code : `${code}, ${word} ${event}`;
}

function minutesLeft(expiresAt: string, nowMs: number, unit: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(expiresAt) - nowMs) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} ${unit}`;
}
