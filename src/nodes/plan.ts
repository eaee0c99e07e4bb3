/** Owns understanding the request: the model reads intent and wish, code reads the order id and may overrule the wish. */
import { isDelivered } from "../domain/case.js";
import { type Plan, parsePlan } from "../domain/contracts.js";
import { AftersalesError } from "../domain/errors.js";
import { type HostAnswerKind, hostAnswer } from "../domain/host-answers.js";
import { findOrderIds } from "../domain/order-ids.js";
import type { Cases, Procedures } from "../domain/ports.js";
import { vetoesRefundRequest } from "../domain/refund-intent.js";
import { type AskDeps, askForContract } from "./ask-model.js";
import type { CaseState } from "./case-state.js";
import { PLAN_PROMPT } from "./prompts/plan.js";
import { systemText } from "./prompts/prompt.js";
import type { Node } from "./unit.js";

type Deps = { ask: AskDeps; procedures: Procedures; cases: Cases };
type Update = Partial<Pick<CaseState, "brief" | "answer">>;

/** Throws the defect's code when the model breaks the contract twice. */
export function createPlan({ ask, procedures, cases }: Deps): Node<CaseState, Update> {
  return async ({ question, language }, unit) => {
    const row = await cases.find(unit.caseId);
    if (row === null || isDelivered(row)) throw new AftersalesError("case_ended", { status: row?.status ?? "absent" });
    const ids = findOrderIds(question);
    if (ids.length > 1) return { answer: hostAnswer("several_orders", language) };
    const payload = { question, language, skills: procedures.list() };
    const request = {
      step: "plan" as const,
      system: systemText(PLAN_PROMPT),
      user: JSON.stringify(payload),
      turns: [],
      tools: [],
    };
    const plan = await askForContract(ask, request, (text) => parsePlan(text, ids), unit);
    if (!plan.ok) throw new AftersalesError(plan.code);
    const brief: Plan = {
      ...plan.value,
      orderId: ids[0] ?? null,
      actionRequested: plan.value.actionRequested && !vetoesRefundRequest(question),
    };
    await cases.update(unit.caseId, { orderId: brief.orderId });
    const settled = answeredByHost(brief);
    return settled === null ? { brief, answer: null } : { brief, answer: hostAnswer(settled, language) };
  };
}

/** What needs no investigation: small talk, and a refund that names no order. */
function answeredByHost(brief: Plan): HostAnswerKind | null {
  if (brief.intent === "greeting") return "greeting";
  return brief.intent === "refund" && brief.actionRequested && brief.orderId === null ? "order_needed" : null;
}
