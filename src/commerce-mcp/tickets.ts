/** Owns creating a ticket: the same request gives the same ticket, and a key that was used for something else is refused. */
import type { Kysely } from "kysely";
import { digestOf } from "../domain/canonical.js";
import { TicketWire } from "../domain/commerce-wire.js";
import type { Identity } from "../domain/identity.js";
import type { OrderId } from "../domain/ids.js";
import type { CommerceTables } from "./commerce-tables.js";
import { readOwnedOrder } from "./owned-records.js";
import { Refusal } from "./refusal.js";

export type TicketRequest = { order_id: OrderId; summary: string; idempotency_key: string };

/**
 * Creates a ticket or returns the one this key already made, byte for byte. The stored key is derived from who asks as well as from the
 * caller's key, so that nobody can meet another's. Throws `idempotency_conflict` and `order_not_accessible`.
 */
export function createTickets({ db, identity }: { db: Kysely<CommerceTables>; identity: Identity }) {
  return (request: TicketRequest): Promise<TicketWire> => {
    const { tenant, user, role } = identity;
    const { order_id, summary } = request;
    const key = digestOf("qinghe.ticket-key.v1", { tenant, user, role, key: request.idempotency_key });
    const payloadHash = digestOf("qinghe.ticket-payload.v1", { order_id, summary });
    return db.transaction().execute(async (trx) => {
      const made = await trx
        .selectFrom("tickets")
        .select(["payload_hash", "body"])
        .where("tenant", "=", tenant)
        .where("key", "=", key)
        .executeTakeFirst();
      if (made !== undefined) {
        if (made.payload_hash !== payloadHash) throw new Refusal("idempotency_conflict");
        return TicketWire.parse(JSON.parse(made.body));
      }
      await readOwnedOrder(trx, identity, order_id);
      const ticket = TicketWire.parse({
        ticket_id: `T-${key.slice(0, 16)}`,
        order_id,
        summary,
        status: "open",
        simulated: true,
      });
      await trx
        .insertInto("tickets")
        .values({
          tenant,
          key,
          user_id: user,
          ticket_id: ticket.ticket_id,
          payload_hash: payloadHash,
          body: JSON.stringify(ticket),
        })
        .execute();
      return ticket;
    });
  };
}
