/** The twelve tools over plain fake ports, and the gate in front of them, with everything it did written down. */

import { createRefundTerms } from "../../src/adapters/data-directory.js";
import { loadPolicyDocuments } from "../../src/adapters/policy-documents.js";
import { COMMERCE_READ_TOOLS, type CommerceReadTool } from "../../src/domain/commerce-wire.js";
import type { CaseId } from "../../src/domain/ids.js";
import { orderToWire } from "../../src/domain/order.js";
import type { Passage } from "../../src/domain/policy-document.js";
import type {
  CallOptions,
  CommerceReads,
  Knowledge,
  Notes,
  Preferences,
  Procedures,
  RawToolCall,
  ReadOutcome,
} from "../../src/domain/ports.js";
import { createCalculateRefund, createQuoteOrder } from "../../src/tools/calculate-refund.js";
import { createCommerceReadTools } from "../../src/tools/commerce-reads.js";
import { type AnsweredCall, createDispatch, type DispatchInput } from "../../src/tools/dispatch.js";
import { createLoadSkill } from "../../src/tools/load-skill.js";
import { createReadKnowledge } from "../../src/tools/read-knowledge.js";
import { createReadPreferences } from "../../src/tools/read-preferences.js";
import { createRegistry } from "../../src/tools/registry.js";
import { createSaveCaseNote } from "../../src/tools/save-case-note.js";
import { createSearchKnowledge } from "../../src/tools/search-knowledge.js";
import type { Tool } from "../../src/tools/tool.js";
import { DATA } from "./ledger-data.js";
import { alice, CASE_ID, ORDER_ID, order } from "./ledger-values.js";

const documents = loadPolicyDocuments(DATA);
const passages = documents.flatMap(({ pages }) => pages.flatMap((page) => page.passages));

export const procedures: Procedures = {
  list: () => [{ name: "refund", description: "Refunds." }],
  load: (name) => (name === "refund" || name === "policy" ? `How to ${name}.` : null),
};

/** Reads by id and page; a search finds what the test says. */
export function fakeKnowledge(found: readonly Passage[] = passagesOf("DELIVERY:p01")): Knowledge {
  return {
    search: async () => ({ passages: found.map((passage) => ({ ...passage, score: 1 })), covered: true }),
    read: async ({ language }, id) =>
      passages.find((passage) => passage.id === id && passage.language === language) ?? null,
    page: async ({ language }, pageId) => {
      const list = passagesOf(pageId, language);
      const header = documents.find(({ pages }) => pages.some(({ page }) => page === pageId))?.header ?? null;
      return { passages: list, header };
    },
  };
}

export function passagesOf(page: string, language = "en"): Passage[] {
  return passages.filter((passage) => passage.page === page && passage.language === language);
}

export const goodOrder: ReadOutcome = { kind: "ok", data: orderToWire(order()) };

export type Respond = (
  tool: CommerceReadTool,
  args: Record<string, unknown>,
  options: CallOptions,
) => Promise<ReadOutcome> | ReadOutcome;

export type Bench = {
  /** Everything that happened, in order: `charge 3`, `get_order {"order_id":"QH-1001"}`, `note x`. */
  log: string[];
  tools: Tool[];
  dispatch: (calls: readonly RawToolCall[], changes?: Partial<DispatchInput>) => Promise<AnsweredCall[]>;
  budget: { left: number };
};

export function toolBench(
  options: { respond?: Respond; notes?: Notes; preferences?: Preferences; knowledge?: Knowledge } = {},
): Bench {
  const log: string[] = [];
  const budget = { left: 24 };
  const commerce: CommerceReads = {
    specs: async () => COMMERCE_READ_TOOLS.map((name) => ({ name, description: `${name}.`, schema: {} })),
    async call(tool, args, callOptions) {
      log.push(`${tool} ${JSON.stringify(args)}`);
      return options.respond === undefined ? goodOrder : options.respond(tool, args, callOptions);
    },
  };
  const notes = options.notes ?? {
    list: async () => [],
    async add(_caseId: CaseId, note: string) {
      log.push(`note ${note}`);
      return true;
    },
  };
  const knowledge = options.knowledge ?? fakeKnowledge();
  const deps = { knowledge, procedures, preferences: options.preferences ?? { language: async () => null }, notes };
  const quoteOrder = createQuoteOrder({
    commerceFor: () => commerce,
    terms: createRefundTerms(DATA, documents),
    knowledge,
  });
  const tools = [
    ...createCommerceReadTools({
      commerceFor: () => commerce,
      specs: COMMERCE_READ_TOOLS.map((name) => ({ name, description: `${name}.`, schema: {} })),
    }),
    createSearchKnowledge(deps),
    createReadKnowledge(deps),
    createLoadSkill(deps),
    createCalculateRefund({ quoteOrder }),
    createReadPreferences(deps),
    createSaveCaseNote(deps),
  ];
  let ids = 0;
  const dispatch = createDispatch({
    registryFor: async () => createRegistry(tools),
    budget: {
      async charge(_caseId, kind, count) {
        const granted = Math.min(count, budget.left);
        budget.left -= granted;
        log.push(`charge ${kind} ${count}`);
        return granted;
      },
    },
    newId: () => `host-${++ids}`,
    nowMs: () => 0,
  });
  return {
    log,
    tools,
    budget,
    dispatch: (calls, changes = {}) =>
      dispatch({
        calls,
        context: { caseId: CASE_ID, applicant: alice, language: "en", intent: "refund", orderId: ORDER_ID },
        role: "customer",
        takenIds: new Set(),
        earlierFingerprints: [],
        signal: new AbortController().signal,
        remainingMs: () => 150_000,
        ...changes,
      }),
  };
}

export function callOf(name: string, args: unknown, id: string | undefined = "c1", malformed = false): RawToolCall {
  return { id, name, args, malformed };
}

/** The code a call was refused with, or `ok`. */
export function codeOf(call: AnsweredCall | undefined): string {
  if (call === undefined) return "no answer";
  return call.outcome.kind === "error" ? call.outcome.error.code : "ok";
}

/** Valid arguments of each of the twelve. */
export const GOOD_ARGUMENTS: Record<string, Record<string, unknown>> = {
  list_orders: {},
  get_order: { order_id: "QH-1001" },
  get_shipment: { order_id: "QH-1001" },
  get_invoice: { order_id: "QH-1001" },
  get_product: { sku: "DESK-01" },
  get_ticket: { ticket_id: "T-0123456789abcdef" },
  search_knowledge: { query: "refund" },
  read_knowledge: { passage_id: "RETURNS:p02:en:0" },
  load_skill: { name: "refund" },
  calculate_refund: { order_id: "QH-1001" },
  read_preferences: {},
  save_case_note: { note: "the box was wet" },
};
