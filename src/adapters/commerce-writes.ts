/** Owns the two writes the host may ask of the commerce process. Neither is reachable from a tool a model can name. */
import { ReceiptWire, TicketWire } from "../domain/commerce-wire.js";
import { AftersalesError, type ErrorCode, toolError } from "../domain/errors.js";
import type { CommerceSettlement, CommerceTickets } from "../domain/ports.js";
import type { CommerceBridge } from "./commerce-bridge.js";

const UNREACHED: readonly ErrorCode[] = ["commerce_unavailable", "commerce_not_started"];

/**
 * Asks once. A reply that is lost, late, garbled or of an unexpected form says nothing about the payment, so all of them are `unknown`;
 * so is a failure inside the service, which may have happened on either side of its commit.
 */
export function createSettlement(bridge: CommerceBridge): CommerceSettlement {
  return {
    async execute(approvalId, grant, options) {
      try {
        const outcome = await bridge.call("execute_refund", { approval_id: approvalId, grant }, options);
        if (outcome.kind === "ok") {
          const receipt = ReceiptWire.safeParse(outcome.data);
          return receipt.success
            ? { kind: "receipt", receipt: receipt.data }
            : { kind: "unknown", code: "invalid_commerce_result" };
        }
        if (outcome.kind !== "error") return { kind: "unknown", code: "outcome_unknown" };
        const certain = outcome.error.category === "permission" || outcome.error.category === "business";
        return certain ? { kind: "refused", error: outcome.error } : { kind: "unknown", code: "outcome_unknown" };
      } catch (error) {
        // This time nothing was asked; whether an earlier attempt was paid stays open.
        if (error instanceof AftersalesError && UNREACHED.includes(error.code)) {
          return { kind: "unknown", code: error.code };
        }
        throw error;
      }
    },
  };
}

export function createTickets(bridge: CommerceBridge): CommerceTickets {
  return {
    async create({ orderId, summary, key }, options) {
      const args = { order_id: orderId, summary, idempotency_key: key };
      const outcome = await bridge.call("create_ticket", args, options);
      if (outcome.kind === "error") return outcome;
      const ticket = outcome.kind === "ok" ? TicketWire.safeParse(outcome.data) : undefined;
      return ticket?.success
        ? { kind: "ok", ticket: ticket.data }
        : { kind: "error", error: toolError("outcome_unknown") };
    },
  };
}
