/** Owns what the three model steps must return, and how their text is read: strict, snake_case on the wire, camelCase inside. */
import { z } from "zod";
import { OrderId } from "./ids.js";
import { LIMITS } from "./limits.js";
import { parseOrderId } from "./order-ids.js";
import { type JsonDefect, parseJsonObject } from "./strict-json.js";

export const Intent = z.enum(["refund", "delivery", "invoice", "warranty", "policy", "greeting"]);
export type Intent = z.infer<typeof Intent>;

const shortText = z.string().trim().min(1).max(LIMITS.planTextChars);

const PlanWire = z.strictObject({
  intent: Intent,
  order_id: z.string().max(100).nullable(),
  action_requested: z.boolean(),
  queries: z.array(shortText).max(LIMITS.planQueries),
  milestones: z.array(shortText).max(LIMITS.planMilestones),
});

export const Plan = z.strictObject({
  intent: Intent,
  orderId: OrderId.nullable(),
  actionRequested: z.boolean(),
  queries: z.array(z.string()),
  milestones: z.array(z.string()),
});
export type Plan = z.infer<typeof Plan>;

export const NextAction = z.enum(["answer", "request_refund", "needs_input"]);
export type NextAction = z.infer<typeof NextAction>;

const AnswerWire = z.strictObject({
  answer: z.string().trim().min(1).max(LIMITS.answerChars),
  citations: z.array(z.string().min(1).max(120)).max(LIMITS.citations),
  next_action: NextAction,
});

export const Answer = z.strictObject({
  answer: z.string().min(1).max(LIMITS.answerChars),
  citations: z.array(z.string()).max(LIMITS.citations),
  nextAction: NextAction,
});
export type Answer = z.infer<typeof Answer>;

export const Review = z.strictObject({
  verdict: z.enum(["pass", "revise", "insufficient"]),
  feedback: z.string().max(LIMITS.feedbackChars),
});
export type Review = z.infer<typeof Review>;

export type Contract<T> = { ok: true; value: T } | { ok: false; code: ContractDefect };
export type ContractDefect =
  | JsonDefect
  | "invalid_plan"
  | "invented_order_id"
  | "invalid_answer"
  | "duplicate_citations"
  | "invalid_review";

/** Reads a plan. The order id it names must be one of `askedIds`, the ids found in the question. */
export function parsePlan(text: unknown, askedIds: readonly OrderId[]): Contract<Plan> {
  const json = parseJsonObject(text);
  if (!json.ok) return json;
  const parsed = PlanWire.safeParse(json.value);
  if (!parsed.success) return { ok: false, code: "invalid_plan" };
  const { order_id, action_requested, ...rest } = parsed.data;
  const orderId = order_id === null || order_id.trim() === "" ? null : parseOrderId(order_id);
  if (order_id !== null && order_id.trim() !== "" && (orderId === null || !askedIds.includes(orderId))) {
    return { ok: false, code: "invented_order_id" };
  }
  return { ok: true, value: { ...rest, orderId, actionRequested: action_requested } };
}

export function parseAnswer(text: unknown): Contract<Answer> {
  const json = parseJsonObject(text);
  if (!json.ok) return json;
  const parsed = AnswerWire.safeParse(json.value);
  if (!parsed.success) return { ok: false, code: "invalid_answer" };
  const { answer, citations, next_action } = parsed.data;
  if (new Set(citations).size !== citations.length) return { ok: false, code: "duplicate_citations" };
  return { ok: true, value: { answer, citations, nextAction: next_action } };
}

export function parseReview(text: unknown): Contract<Review> {
  const json = parseJsonObject(text);
  if (!json.ok) return json;
  const parsed = Review.safeParse(json.value);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, code: "invalid_review" };
}

/** A question as a case accepts it: 1 to 1,800 characters, not blank. */
export const Question = z
  .string()
  .max(LIMITS.questionChars)
  .refine((text) => text.trim() !== "", "must not be blank");
