/** Owns the rules of the investigation: which reads an intent wishes for, in which round, and when enough is known. */
import { type CaseView, type Intent, readOrder, readQuote } from "./case-view.js";
import { sayFor } from "./phrases.js";
import type { Exchange } from "./read-messages.js";
import { amountsNamed } from "./read-question.js";
import { mentionsInvoice, mentionsRefund } from "./topics.js";

export type Call = { name: string; args: Record<string, string> };

type Investigation = { view: CaseView; exchanges: readonly Exchange[] };
type Wish = (investigation: Investigation) => Call | null;

const CALLS_PER_TURN = 4;

const readTheOrder: Wish = ({ view }) => forOrder("get_order", view);
const readShipment: Wish = ({ view }) => forOrder("get_shipment", view);
const readInvoice: Wish = ({ view }) => forOrder("get_invoice", view);
const listOrders: Wish = ({ view }) => (view.plan.orderId === null ? { name: "list_orders", args: {} } : null);

const search: Wish = ({ view }) => {
  const [query] = view.plan.queries;
  return query === undefined ? null : { name: "search_knowledge", args: { query } };
};

const readProduct: Wish = ({ view }) => {
  const sku = readOrder(view, view.plan.orderId)?.sku ?? "";
  return sku === "" ? null : { name: "get_product", args: { sku } };
};

const quote: Wish = ({ view }) =>
  readOrder(view, view.plan.orderId) === null ? null : forOrder("calculate_refund", view);

const quoteIfAsked: Wish = (investigation) =>
  mentionsRefund(investigation.view.question) ? quote(investigation) : null;

const invoiceIfNamed: Wish = (investigation) => {
  const { question, plan } = investigation.view;
  const helps = mentionsInvoice(question) || amountsNamed(question).length > 0;
  return helps && readOrder(investigation.view, plan.orderId) !== null ? readInvoice(investigation) : null;
};

const ROUNDS: Readonly<Record<Intent, readonly (readonly Wish[])[]>> = {
  refund: [
    [readTheOrder, search],
    [quote, invoiceIfNamed],
  ],
  delivery: [[readTheOrder, readShipment, listOrders, search]],
  invoice: [[readTheOrder, readInvoice, search], [quoteIfAsked]],
  warranty: [[readTheOrder, search], [readProduct]],
  policy: [[readTheOrder, search]],
  greeting: [],
};

/** The calls of this turn; none when enough is known or nothing more can be found. */
export function nextCalls(investigation: Investigation, bound: ReadonlySet<string>): Call[] {
  const { plan } = investigation.view;
  if (orderIsUnreadable(investigation.view) || (plan.intent === "refund" && plan.orderId === null)) return [];
  for (const round of ROUNDS[plan.intent]) {
    const calls = round
      .map((wish) => wish(investigation))
      .filter((call) => call !== null)
      .filter((call) => bound.has(call.name) && !isAnswered(call, investigation));
    if (calls.length > 0) return calls.slice(0, CALLS_PER_TURN);
  }
  return [];
}

function forOrder(name: string, view: CaseView): Call | null {
  return view.plan.orderId === null ? null : { name, args: { order_id: view.plan.orderId } };
}

/** Without the order nothing else about it can be read. */
function orderIsUnreadable(view: CaseView): boolean {
  const failed = view.openPoints.some(({ source }) => source.startsWith("get_order"));
  return failed && readOrder(view, view.plan.orderId) === null;
}

/** Whether a call was answered already, well or badly: in a record, in the transcript or as an open point. */
function isAnswered(call: Call, { view, exchanges }: Investigation): boolean {
  const [argument = "current"] = Object.values(call.args);
  const key = `${call.name}:${argument}`;
  const asked = exchanges.some(({ name, args }) => name === call.name && Object.values(args).includes(argument));
  const open = view.openPoints.some(({ source }) => source === call.name || source === key);
  const found = call.name === "search_knowledge" && exchanges.length === 0 && view.evidence.length > 0;
  const quoted = call.name === "calculate_refund" && readQuote(view, argument) !== null;
  const listed = call.name === "list_orders" && exchanges.some(({ name }) => name === call.name);
  return asked || open || found || quoted || listed || view.facts.has(key);
}

/** The short text that ends an investigation. */
export function summarise(view: CaseView): string {
  const say = sayFor(view.language);
  const open = view.openPoints.map(({ source, code }) => `${source} (${code})`);
  return say.summary([...view.facts.keys()].slice(0, 12), view.evidence.length, open.slice(0, 6)).slice(0, 1_500);
}

/** The next free turn number: ids stay unique in a transcript whose oldest part was cut off. */
export function turnNumber(exchanges: readonly Exchange[]): number {
  const used = exchanges.map(({ id }) => Number(/^call_(\d{1,4})_/.exec(id)?.[1] ?? 0));
  return Math.max(0, ...used) + 1;
}
