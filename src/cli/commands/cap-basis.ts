/** `cap-basis`: a customer's own delivery fees of twelve months, for a cap that is expressed in them. No number when it cannot be read. */
import { formatCny } from "../../domain/money.js";
import type { RunContext } from "../run-context.js";

/** Throws `customer_role_required`, or the code of whatever kept the fees from being read. */
export async function runCapBasis(context: RunContext): Promise<void> {
  const identity = context.identity();
  const basis = await context.host().capBasis(identity);
  if (context.options.json) {
    context.output.json({ customer: identity.user, ...basis });
    return;
  }
  const period = `from ${basis.from} to ${basis.to}`;
  const amount = formatCny(basis.deliveryFeesCents);
  context.output.result(
    basis.deliveryFeesCents === 0
      ? `${identity.user} paid no delivery fees ${period}: ${amount}. The records were read; this is a known zero.`
      : `${identity.user} paid ${amount} in delivery fees ${period}, for ${basis.deliveredOrders} delivered orders.`,
  );
}
