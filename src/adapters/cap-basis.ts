/** Owns reading a customer's cap basis from the commerce process. A basis that cannot be read is an error, never a zero. */
import { CAP_BASIS_URI, CapBasisWire } from "../domain/commerce-wire.js";
import { AftersalesError } from "../domain/errors.js";
import type { Identity } from "../domain/identity.js";
import { parseJsonObject } from "../domain/strict-json.js";
import type { CommerceBridge } from "./commerce-bridge.js";

/** Amounts are whole cents of `currency`; both days are included. */
export type CapBasis = {
  currency: "CNY";
  from: string;
  to: string;
  deliveredOrders: number;
  deliveryFeesCents: number;
};

/** Throws `customer_role_required`, or the code of whatever kept the basis from being read. */
export async function readCapBasis(bridge: CommerceBridge, caller: Identity): Promise<CapBasis> {
  if (caller.role !== "customer") throw new AftersalesError("customer_role_required");
  const json = parseJsonObject(await bridge.readResource(CAP_BASIS_URI));
  const parsed = CapBasisWire.safeParse(json.ok ? json.value : null);
  if (!parsed.success) throw new AftersalesError("invalid_commerce_result");
  const { currency, from, to, delivered_orders, delivery_fees_cents } = parsed.data;
  return { currency, from, to, deliveredOrders: delivered_orders, deliveryFeesCents: delivery_fees_cents };
}
