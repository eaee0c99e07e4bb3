import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { textHash } from "../../src/domain/canonical.js";
import { addPassages } from "../../src/domain/evidence.js";
import { LIMITS } from "../../src/domain/limits.js";
import { evidencePayload, investigationContext, readPassages } from "../../src/nodes/context.js";
import { stories, storyOf } from "../support/context-stories.js";
import { fakeKnowledge, passagesOf } from "../support/ledger-tools.js";
import { QINGHE } from "../support/ledger-values.js";

const BASE = { question: "Please refund QH-1001.", language: "en", procedure: "x".repeat(2_000) };
const sizeOf = (value: unknown): number => JSON.stringify(value).length;

test("whatever the history, a turn fits 36,000 characters, has whole groups only, and keeps the newest", () => {
  fc.assert(
    fc.property(stories, (story) => {
      const { payload, turns } = investigationContext({ base: BASE, ...story });
      expect(sizeOf(payload) + sizeOf(turns)).toBeLessThanOrEqual(LIMITS.payloadChars);
      const kept = story.transcript.slice(story.transcript.length - turns.length);
      expect(turns.map(({ text }) => text)).toEqual(kept.map(({ text }) => text));
      for (const [index, { calls, answers }] of turns.entries()) {
        const ids = kept[index]?.calls.map(({ id }) => id);
        expect(calls.map(({ id }) => id)).toEqual(ids);
        expect(answers.map(({ id }) => id)).toEqual(ids);
      }
      if (story.transcript.length > 0) expect(turns.length).toBeGreaterThan(0);
      expect(payload).toMatchObject(BASE);
    }),
    { numRuns: 60 },
  );
});

/** Where each record is shown, in the payload or in the history. */
function shownRecords({ payload, turns }: ReturnType<typeof investigationContext>): string[] {
  const inPayload = z.array(z.looseObject({ source_id: z.string() })).parse(payload.facts);
  const inHistory = turns.flatMap(({ answers }) => answers.map(({ content }) => JSON.parse(content).result.source_id));
  return [...inPayload.map(({ source_id }) => source_id), ...inHistory];
}

test("what a dropped group had found stays visible in the payload, and nothing is shown twice", () => {
  const padded = Array.from({ length: 7 }, () => [{ kind: "fact" as const, length: 4_000, quotes: false }]);
  const story = storyOf(padded);
  for (const turn of story.transcript) turn.text = "x".repeat(1_500);
  const context = investigationContext({ base: { question: "?" }, ...story });
  expect(context.turns.length).toBeLessThan(7);
  expect(shownRecords(context)).toEqual(story.facts.map(({ sourceId }) => sourceId));
});

test("when not all records fit, the newest are shown, whole", () => {
  const story = storyOf(Array.from({ length: 7 }, () => [{ kind: "fact" as const, length: 7_000, quotes: false }]));
  const context = investigationContext({ base: { question: "?" }, ...story });
  expect(shownRecords(context)).toEqual(story.facts.slice(-5).map(({ sourceId }) => sourceId));
  expect(JSON.stringify(context)).not.toContain("…");
});

test("four results of 14,000 characters in one turn are shortened alike, and the next request can be sent", () => {
  const story = storyOf([Array.from({ length: 4 }, () => ({ kind: "text" as const, length: 14_000, quotes: true }))]);
  const { payload, turns } = investigationContext({ base: BASE, ...story });
  expect(sizeOf(payload) + sizeOf(turns)).toBeLessThanOrEqual(LIMITS.payloadChars);
  const lengths = turns[0]?.answers.map(({ content }) => content.length) ?? [];
  expect(lengths).toHaveLength(4);
  expect(new Set(lengths).size).toBe(1);
  expect(lengths[0]).toBeGreaterThan(1_000);
  expect(turns[0]?.answers.every(({ content }) => content.endsWith("…"))).toBe(true);
});

test("a short history is shown as it is", () => {
  const story = storyOf([[{ kind: "text", length: 10, quotes: false }], [{ kind: "fact", length: 10, quotes: false }]]);
  const { turns } = investigationContext({ base: BASE, ...story });
  expect(turns.flatMap(({ answers }) => answers.map(({ content }) => content))).toEqual([
    "ababababab",
    '{"ok":true,"result":{"source_id":"get_order:2","data":{"text":"ababababab"}}}',
  ]);
});

test("a question that does not fit at all is context_too_large, not a cut question", () => {
  const huge = { base: { question: "x".repeat(36_000) }, transcript: [], facts: [], refs: [], texts: new Map() };
  expect(() => investigationContext(huge)).toThrow(expect.objectContaining({ code: "context_too_large" }));
  expect(() => evidencePayload(huge.base, [], [], new Map())).toThrow(
    expect.objectContaining({ code: "context_too_large" }),
  );
});

test("answer and review are shown the newest facts that fit, and say exactly which", () => {
  fc.assert(
    fc.property(stories, (story) => {
      const { payload, shownFacts, shownPassages } = evidencePayload(BASE, story.facts, story.refs, story.texts);
      expect(sizeOf(payload)).toBeLessThanOrEqual(LIMITS.payloadChars);
      const newest = [...story.facts].sort((a, b) => b.sequence - a.sequence).slice(0, shownFacts.length);
      expect(shownFacts).toEqual(newest);
      expect(payload.facts).toHaveLength(shownFacts.length);
      expect(payload.evidence).toHaveLength(shownPassages.length);
      expect(shownPassages.length).toBeLessThanOrEqual(LIMITS.passagesShown);
    }),
    { numRuns: 40 },
  );
});

test("a passage whose text has changed since it was found is not shown", async () => {
  const [first, second] = passagesOf("RETURNS:p02");
  if (first === undefined || second === undefined) throw new Error("no passages");
  const refs = addPassages([], [first, { ...second, textHash: textHash("older text") }], { mandatory: true }) ?? [];
  const texts = await readPassages(fakeKnowledge(), { tenant: QINGHE, language: "en" }, refs);
  expect([...texts.keys()]).toEqual([first.id]);
});
