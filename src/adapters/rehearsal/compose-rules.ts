/** Owns the rules of the answering step: what comes before any topic, and which topic writes it. */
import { type CaseView, type Intent, readOrder } from "./case-view.js";
import { composeDelivery, composeGreeting, composeInvoice, composePolicy, composeWarranty } from "./compose-general.js";
import { composeRefund } from "./compose-refund.js";
import { type Draft, finishDraft, needsInput } from "./draft.js";
import { sayFor } from "./phrases.js";

const COMPOSERS: Readonly<Record<Intent, (view: CaseView) => Draft>> = {
  refund: composeRefund,
  delivery: composeDelivery,
  invoice: composeInvoice,
  warranty: composeWarranty,
  policy: composePolicy,
  greeting: composeGreeting,
};

/** Feedback of the review changes nothing here: the rules always write the complete answer that the facts allow. */
export function composeAnswer(view: CaseView): Record<string, unknown> {
  return finishDraft(refusedAnswer(view) ?? COMPOSERS[view.plan.intent](view), view);
}

/** An order that is not accessible. The sentence never names it or says whether it exists, so that absent and foreign orders sound the same. */
function refusedAnswer(view: CaseView): Draft | null {
  const { orderId } = view.plan;
  if (orderId === null || readOrder(view, orderId) !== null) return null;
  const ofOrder = view.openPoints.filter(({ source }) => /^(?:get_|calculate_refund)/.test(source));
  const refused = ofOrder.some(({ category, code }) => code === "order_not_accessible" || category === "permission");
  return refused ? needsInput(sayFor(view.language).notAccessible) : null;
}
