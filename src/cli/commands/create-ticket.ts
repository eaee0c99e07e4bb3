/** `create-ticket`: opens a ticket for a human, on the customer's own explicit command. No model can reach this. */
import { AftersalesError, isErrorCode } from "../../domain/errors.js";
import { LIMITS } from "../../domain/limits.js";
import { parseOrderId } from "../../domain/order-ids.js";
import { printable } from "../print.js";
import type { RunContext } from "../run-context.js";

/** The same key and content bring back the same ticket; the same key with other content is `idempotency_conflict`. */
export async function runCreateTicket(
  context: RunContext,
  order: string,
  summary: string,
  flags: { key: string },
): Promise<void> {
  const orderId = parseOrderId(order);
  if (orderId === null) throw new AftersalesError("order_not_accessible");
  const fits = (text: string, chars: number): boolean => text.trim() !== "" && text.length <= chars;
  if (!fits(summary, LIMITS.ticketSummaryChars) || !fits(flags.key, LIMITS.idempotencyKeyChars)) {
    throw new AftersalesError("usage", {
      detail: `the summary may have ${LIMITS.ticketSummaryChars} characters and the key ${LIMITS.idempotencyKeyChars}, neither may be blank`,
    });
  }
  const tickets = context.host().commerce.tickets(context.identity());
  const outcome = await tickets.create({ orderId, summary, key: flags.key }, { remainingMs: () => LIMITS.toolCallMs });
  if (outcome.kind === "error") {
    const { code } = outcome.error;
    throw new AftersalesError(isErrorCode(code) ? code : "service_failed");
  }
  const { ticket_id: ticketId, order_id, status, simulated } = outcome.ticket;
  if (context.options.json) {
    context.output.json({ ticketId, orderId: order_id, summary: outcome.ticket.summary, status, simulated });
  } else {
    context.output.result(`${ticketId} for ${order_id} is ${status} (SIMULATED): ${printable(outcome.ticket.summary)}`);
  }
}
