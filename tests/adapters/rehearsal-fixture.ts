/** Owns a small stand-in for everything around the rehearsal model: records, terms, the tools' answers and the prompts it is sent. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { z } from "zod";
import { createRehearsalModel } from "../../src/adapters/rehearsal-model.js";
import { checkAnswer } from "../../src/domain/answer-guards.js";
import { BusinessData, type OrderRecord } from "../../src/domain/business-data.js";
import {
  type Answer,
  type Contract,
  type Plan,
  parseAnswer,
  parsePlan,
  parseReview,
} from "../../src/domain/contracts.js";
import type { Language } from "../../src/domain/ids.js";
import { Order, orderToWire } from "../../src/domain/order.js";
import { findOrderIds } from "../../src/domain/order-ids.js";
import { type Passage, type PolicyDocument, parsePolicyDocument } from "../../src/domain/policy-document.js";
import { type Quote, quoteRefund, quoteToWire } from "../../src/domain/refund-policy.js";
import { documentVersionOf, RefundRules } from "../../src/domain/refund-rules.js";
import { COMPOSE_PROMPT } from "../../src/nodes/prompts/compose.js";
import { CRITIQUE_PROMPT } from "../../src/nodes/prompts/critique.js";
import { INVESTIGATE_PROMPT } from "../../src/nodes/prompts/investigate.js";
import { PLAN_PROMPT } from "../../src/nodes/prompts/plan.js";
import { type Prompt, systemText } from "../../src/nodes/prompts/prompt.js";

const DATA = resolve(import.meta.dirname, "../../data");
const read = (name: string): string => readFileSync(resolve(DATA, name), "utf8");
const document = (name: string): PolicyDocument => parsePolicyDocument(read(`knowledge/${name}.md`));

export const business = BusinessData.parse(JSON.parse(read("business.json")));
export const rules = RefundRules.parse(JSON.parse(read("refund_rules.json")));
export const returns = document("RETURNS");
const manuals = ["DELIVERY", "WARRANTY", "INVOICES", "AGREEMENT", "SOUTH_TERMS"].map(document);

export type Fact = { source_id: string; data: Record<string, unknown> };
export type Shown = {
  id: string;
  document: string;
  page: string;
  version: string;
  title: string;
  heading: string;
  body: string;
};
export type Turn = { calls: { id: string; name: string; args: Record<string, unknown> }[]; text: string };
type ToolAnswer =
  | { ok: true; result: Record<string, unknown> }
  | { ok: false; error: { category: string; code: string; retryable: boolean; message: string } };

export const ALL_TOOLS = [
  ..."list_orders get_order get_shipment get_invoice get_product get_ticket search_knowledge read_knowledge".split(" "),
  ..."load_skill calculate_refund read_preferences save_case_note".split(" "),
];

export function orderOf(record: OrderRecord): Order {
  return Order.parse({
    orderId: record.order_id,
    tenant: record.tenant,
    user: record.user,
    sku: record.sku,
    category: record.category,
    status: record.status,
    quantity: record.quantity,
    listPriceCents: record.list_price_cents,
    discountCents: record.discount_cents,
    paidItemsCents: record.paid_items_cents,
    shippingCents: record.shipping_cents,
    refundedCents: record.refunded_cents,
    deliveredOn: record.delivered_on,
    returnReceived: record.return_received,
    version: record.version,
    invoiceId: record.invoice_id,
  });
}

export function recordOf(orderId: string): OrderRecord {
  const record = business.orders.find(({ order_id }) => order_id === orderId);
  if (record === undefined) throw new Error(`no order ${orderId} in business.json`);
  return record;
}

export function quoteOf(record: OrderRecord): Quote {
  const own = record.tenant === rules.tenant;
  const pages = returns.pages.filter(({ page }) => rules.policy_pages.includes(page));
  const basis = {
    documentVersion: own ? documentVersionOf(rules) : null,
    policyPages: own ? pages.map(({ page, textHash }) => ({ page, textHash })) : [],
  };
  return quoteRefund(orderOf(record), rules, basis, business.as_of);
}

export function passagesOf(pages: readonly string[], language: Language): Shown[] {
  return [returns, ...manuals]
    .flatMap((manual) => manual.pages)
    .filter(({ page }) => pages.includes(page))
    .flatMap(({ passages }) => passages)
    .filter((passage) => passage.language === language)
    .map(shown);
}

function shown({ id, document, page, version, title, heading, body }: Passage): Shown {
  return { id, document, page, version, title, heading, body };
}

export type Desk = {
  user: string;
  language: Language;
  /** Orders beside those of business.json. */
  extra?: OrderRecord[];
  /** Tools that answer with a transient error. */
  down?: string[];
  /** The pages that a search finds, and whether it says that they answer the question. */
  pages?: string[];
  covered?: boolean;
  tools?: string[];
};

export type Run = {
  plan: Plan;
  turns: Turn[];
  facts: Fact[];
  evidence: Shown[];
  quote: Quote | null;
  answer: Answer;
  compose: Record<string, unknown>;
};

const model = createRehearsalModel();

export function messagesOf(prompt: Prompt, payload: Record<string, unknown>): BaseMessage[] {
  return [new SystemMessage(systemText(prompt)), new HumanMessage(JSON.stringify(payload))];
}

export function functionTool(name: string) {
  return { type: "function" as const, function: { name, description: name, parameters: {} } };
}

export async function ask(
  prompt: Prompt,
  payload: Record<string, unknown>,
  history: BaseMessage[] = [],
): Promise<string> {
  const reply = await model.invoke([...messagesOf(prompt, payload), ...history]);
  return reply.text;
}

export function must<T>(parsed: Contract<T>): T {
  if (!parsed.ok) throw new Error(`the reply breaks its contract: ${parsed.code}`);
  return parsed.value;
}

export async function planOf(question: string, language: Language): Promise<Plan> {
  const text = await ask(PLAN_PROMPT, { question, language, skills: [{ name: "refund", description: "Refunds" }] });
  return must(parsePlan(text, findOrderIds(question)));
}

export async function verdictOf(payload: Record<string, unknown>): Promise<{ verdict: string; feedback: string }> {
  return must(parseReview(await ask(CRITIQUE_PROMPT, payload)));
}

/** One case from question to answer, with the tools answered from the data files. */
export async function runCase(question: string, desk: Desk): Promise<Run> {
  const { language } = desk;
  const plan = await planOf(question, language);
  const state: State = { facts: [], evidence: [], quote: null };
  const known = () => ({ ...state, quote: state.quote === null ? null : quoteToWire(state.quote) });
  const open: { source: string; category: string; code: string }[] = [];
  const turns: Turn[] = [];
  const history: BaseMessage[] = [];
  const wirePlan = {
    intent: plan.intent,
    order_id: plan.orderId,
    action_requested: plan.actionRequested,
    queries: plan.queries,
    milestones: plan.milestones,
  };
  const base = { question, language, plan: wirePlan, procedure: null, preferences: {} };
  for (let left = 7; left >= 1; left--) {
    const bound = model.bindTools(left === 1 ? [] : (desk.tools ?? ALL_TOOLS).map((name) => functionTool(name)));
    const payload = { ...base, ...known(), case_notes: [], open_points: open, turns_left: left };
    const reply = await bound.invoke([...messagesOf(INVESTIGATE_PROMPT, payload), ...history]);
    const calls = (reply.tool_calls ?? []).map(({ id = "", name, args }) => ({ id, name, args }));
    turns.push({ calls, text: reply.text });
    if (calls.length === 0) break;
    history.push(new AIMessage({ content: reply.content, tool_calls: reply.tool_calls ?? [] }));
    for (const call of calls) {
      const answer = answerCall(call, desk, state);
      if (!answer.ok)
        open.push({
          source: `${call.name}:${Object.values(call.args)[0]}`,
          category: answer.error.category,
          code: answer.error.code,
        });
      if (answer.ok && answer.result.covered === false) {
        open.push({ source: `search_knowledge:${call.args.query}`, category: "business", code: "not_covered" });
      }
      history.push(new ToolMessage({ tool_call_id: call.id, content: JSON.stringify(answer) }));
    }
  }
  const compose = { ...base, ...known(), case_notes: [], open_points: open, feedback: null };
  const answer = must(parseAnswer(await ask(COMPOSE_PROMPT, compose)));
  return { plan, turns, ...state, answer, compose };
}

type State = { facts: Fact[]; evidence: Shown[]; quote: Quote | null };

function answerCall(call: Turn["calls"][number], desk: Desk, state: State): ToolAnswer {
  const { name, args } = call;
  if (desk.down?.includes(name)) return refusal("transient", "store_unreadable");
  if (name === "search_knowledge") {
    const found = passagesOf(desk.pages ?? ["RETURNS:p01"], desk.language).slice(0, 4);
    addEvidence(state, found);
    return {
      ok: true,
      result: { passages: found.map((passage) => ({ ...passage, score: 1 })), covered: desk.covered ?? true },
    };
  }
  const own = [...(desk.extra ?? []), ...business.orders].filter(({ user }) => user === desk.user);
  if (name === "list_orders") {
    const orders = own.map(({ order_id, sku, status }) => ({ order_id, sku, status }));
    return fact(state, "list_orders:current", { orders });
  }
  if (name === "get_product") {
    const product = business.products.find(({ sku }) => sku === args.sku);
    return product === undefined
      ? refusal("business", "product_not_found")
      : fact(state, `get_product:${product.sku}`, { ...product });
  }
  const record = own.find(({ order_id }) => order_id === args.order_id);
  if (record === undefined) return refusal("permission", "order_not_accessible");
  if (name === "calculate_refund") {
    const quote = quoteOf(record);
    state.quote = quote;
    addEvidence(state, record.tenant === rules.tenant ? passagesOf(rules.policy_pages, desk.language) : []);
    return fact(state, `calculate_refund:${record.order_id}`, quoteToWire(quote));
  }
  return fact(state, `${name}:${record.order_id}`, recordData(name, record));
}

export function recordData(tool: string, record: OrderRecord): Record<string, unknown> {
  const { order_id, shipment, invoice } = record;
  if (tool === "get_invoice") return { order_id, invoice };
  if (tool === "get_shipment") return { order_id, ...(shipment ?? { carrier: null, tracking_id: null, events: [] }) };
  return { ...orderToWire(orderOf(record)) };
}

function fact(state: State, source_id: string, data: Record<string, unknown>): ToolAnswer {
  state.facts = [...state.facts.filter((known) => known.source_id !== source_id), { source_id, data }];
  return { ok: true, result: { source_id, data } };
}

function addEvidence(state: State, passages: Shown[]): void {
  const known = new Set(state.evidence.map(({ id }) => id));
  state.evidence = [...state.evidence, ...passages.filter(({ id }) => !known.has(id))];
}

function refusal(category: string, code: string): ToolAnswer {
  return { ok: false, error: { category, code, retryable: category === "transient", message: "It did not work." } };
}

/** What the review is shown for a finished run. */
export function candidateOf(run: Run, change: Partial<Answer> = {}): Record<string, unknown> {
  const { answer, citations, nextAction } = { ...run.answer, ...change };
  return {
    question: run.compose.question,
    facts: run.facts,
    evidence: run.evidence,
    candidate: { answer, citations, next_action: nextAction },
  };
}

export function factsOf(compose: Record<string, unknown>): Fact[] {
  return z.array(z.object({ source_id: z.string(), data: z.record(z.string(), z.unknown()) })).parse(compose.facts);
}

/** What code checks in every answer before anybody sees it. */
export function hostDefect(run: Run, language: Language) {
  return checkAnswer(run.answer, {
    language,
    plan: run.plan,
    quote: run.quote,
    facts: new Map(run.facts.map(({ source_id, data }) => [source_id, JSON.stringify(data)])),
    passages: new Map(run.evidence.map(({ id, body }) => [id, body])),
  });
}
