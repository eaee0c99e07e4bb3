/** Owns the rules of the answering step: what stops an answer, and which topic writes it. */
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
  return finishDraft(stoppedAnswer(view) ?? COMPOSERS[view.plan.intent](view), view);
}

/** An order that is not accessible, or a record that could not be read. The sentence never names the order or says whether it exists. */
function stoppedAnswer(view: CaseView): Draft | null {
  const { orderId } = view.plan;
  if (orderId === null || readOrder(view, orderId) !== null) return null;
  const say = sayFor(view.language);
  const ofOrder = view.openPoints.filter(({ source }) => /^(?:get_|calculate_refund)/.test(source));
  const refused = ofOrder.some(({ category, code }) => code === "order_not_accessible" || category === "permission");
  if (refused) return needsInput(say.notAccessible);
  return ofOrder.length > 0 ? needsInput(say.unreadable) : null;
}
