/** Owns the basis of a cap that the terms express in delivery fees: what the bound customer has paid for deliveries in twelve months. */
import type { Kysely } from "kysely";
import { yearUpTo } from "../domain/clock.js";
import { CapBasisWire } from "../domain/commerce-wire.js";
import type { Identity } from "../domain/identity.js";
import type { CommerceTables } from "./commerce-tables.js";
import { ownedOrders } from "./owned-records.js";

/**
 * Sums the freight (whole cents) of the identity's orders that were delivered in the twelve months up to the business date. A fee counts on
 * the day of delivery, the only date an order record has for it; no order in that time is a valid zero. Throws what SQLite throws.
 */
export async function readCapBasis(
  db: Kysely<CommerceTables>,
  identity: Identity,
  businessDate: string,
): Promise<CapBasisWire> {
  const { from, to } = yearUpTo(businessDate);
  const fees = await ownedOrders(db, identity)
    .select("shipping_cents")
    .where("status", "=", "delivered")
    .where("delivered_on", ">=", from)
    .where("delivered_on", "<=", to)
    .execute();
  return CapBasisWire.parse({
    currency: "CNY",
    from,
    to,
    delivered_orders: fees.length,
    delivery_fees_cents: fees.reduce((sum, { shipping_cents }) => sum + shipping_cents, 0),
  });
}
