/** Owns the two writes as a client sees them. No model is ever offered either; the annotations are hints, the guards are in the service. */
import { COMMERCE_ARGUMENTS, COMMERCE_RESULTS, type ReceiptWire, type TicketWire } from "../domain/commerce-wire.js";
import { type CommerceTool, commerceTool } from "./commerce-tool.js";
import type { RefundRequest } from "./refunds.js";
import type { TicketRequest } from "./tickets.js";

const CREATE_TICKET = `Opens a ticket: a simulated request that a human colleague will look at, tied to one order of the current customer.
WHEN TO USE: a person explicitly asks to hand something over that no read answers, such as a repair, an address change or a damaged parcel.
WHEN NOT TO USE: to look at an existing ticket, use get_ticket. For anything a read answers, use get_order, get_shipment or get_invoice. It moves no money: an approved refund is execute_refund.
RETURNS: {ticket_id, order_id, summary, status, simulated}. KEY PARAMS: idempotency_key names this request; the same key and content return the same ticket, the same key with other content is idempotency_conflict. order_not_accessible: this customer has no access to that order.`;

const EXECUTE_REFUND = `Executes one refund that a human reviewer has approved. Simulated: no real money moves.
WHEN TO USE: host code only, after a reviewer approved exactly this proposal; and again with the same approval_id and grant whenever a reply was lost.
WHEN NOT TO USE: never by a model, and never to find out whether a refund is possible: there is no dry run. To see what was paid and refunded, use get_order. To ask a human for help, use create_ticket.
RETURNS: {receipt_id, approval_id, digest, order_id, amount_cents, currency, simulated, executed_at}. KEY PARAMS: grant is the signed approval. A repetition returns the first receipt unchanged; another grant for a settled approval_id is idempotency_conflict. Every other error means that nothing was paid, except transient and internal ones, after which the outcome is unknown: ask again with the same key.`;

export type Writes = {
  createTicket: (request: TicketRequest) => Promise<TicketWire>;
  executeRefund: (request: RefundRequest) => Promise<ReceiptWire>;
};

/** The two writes, in the order they are listed. */
export function createWriteTools({ createTicket, executeRefund }: Writes): CommerceTool[] {
  return [
    commerceTool({
      name: "create_ticket",
      description: CREATE_TICKET,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      input: COMMERCE_ARGUMENTS.create_ticket,
      output: COMMERCE_RESULTS.create_ticket,
      run: createTicket,
    }),
    commerceTool({
      name: "execute_refund",
      description: EXECUTE_REFUND,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
      input: COMMERCE_ARGUMENTS.execute_refund,
      output: COMMERCE_RESULTS.execute_refund,
      run: executeRefund,
    }),
  ];
}
