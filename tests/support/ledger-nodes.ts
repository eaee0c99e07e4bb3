/** What a node is given, made of plain fakes, with everything it charged and noted written down. */
import { createGivenModel } from "../../src/adapters/given-model.js";
import type { CaseUpdate } from "../../src/domain/case.js";
import type { Cases, NewEvent, Notes, Preferences } from "../../src/domain/ports.js";
import type { AskDeps } from "../../src/nodes/ask-model.js";
import type { CaseState, InvestigateState, ReviewState } from "../../src/nodes/case-state.js";
import type { BriefingDeps } from "../../src/nodes/investigate-think.js";
import type { Unit } from "../../src/nodes/unit.js";
import { fakeKnowledge, procedures } from "./ledger-tools.js";
import { alice, CASE_ID, caseRow, plan } from "./ledger-values.js";
import { type Script, ScriptedChatModel } from "./scripted-model.js";

export type NodeBench = {
  model: ScriptedChatModel;
  charged: string[];
  notes: NewEvent[];
  updates: CaseUpdate[];
  budget: { left: number };
  ask: AskDeps;
  briefing: BriefingDeps;
  cases: Cases;
  unit: Unit;
};

export function nodeBench(script: Script, changes: { notes?: string[]; language?: "zh" | "en" } = {}): NodeBench {
  const model = new ScriptedChatModel(script);
  const charged: string[] = [];
  const notes: NewEvent[] = [];
  const updates: CaseUpdate[] = [];
  const budget = { left: 20 };
  const caseNotes: Notes = { list: async () => changes.notes ?? [], add: async () => true };
  const preferences: Preferences = { language: async () => changes.language ?? null };
  const ask: AskDeps = {
    models: createGivenModel(model, "scripted"),
    budget: {
      async charge(_caseId, kind, count) {
        charged.push(kind);
        const granted = Math.min(count, budget.left);
        budget.left -= granted;
        return granted;
      },
    },
    nowMs: () => 0,
  };
  return {
    model,
    charged,
    notes,
    updates,
    budget,
    ask,
    briefing: {
      ask,
      knowledge: fakeKnowledge(),
      procedures,
      preferences,
      notes: caseNotes,
    },
    cases: {
      open: async () => undefined,
      find: async () => caseRow(),
      update: async (_caseId, change) => void updates.push(change),
    },
    unit: {
      caseId: CASE_ID,
      caller: alice,
      applicant: () => alice,
      callerFor: () => alice,
      signing: { by: "alice", note: { en: "", zh: "" } },
      signal: new AbortController().signal,
      remainingMs: () => 150_000,
      note: (event) => void notes.push(event),
    },
  };
}

export function caseState(changes: Partial<CaseState> = {}): CaseState {
  return {
    question: "Please refund QH-1001.",
    language: "en",
    graphVersion: "1",
    brief: plan(),
    facts: [],
    evidence: [],
    quote: null,
    openPoints: [],
    answer: null,
    problem: null,
    proposal: null,
    refusal: null,
    outcome: null,
    ...changes,
  };
}

export function investigateState(changes: Partial<InvestigateState> = {}): InvestigateState {
  const { question, language, brief, facts, evidence, quote, openPoints } = caseState();
  const own = { transcript: [], pending: [], said: "", turns: 0, fingerprints: [], finished: false };
  return { question, language, brief, facts, evidence, quote, openPoints, ...own, ...changes };
}

export function reviewState(changes: Partial<ReviewState> = {}): ReviewState {
  const { question, language, brief, facts, evidence, quote, openPoints, answer, problem } = caseState();
  const own = { candidate: null, feedback: null, rewrites: 0 };
  return { question, language, brief, facts, evidence, quote, openPoints, answer, problem, ...own, ...changes };
}
