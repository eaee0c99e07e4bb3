/** Histories of an investigation as they could have come about, for properties about what a model is shown of them. */
import fc from "fast-check";
import { textHash } from "../../src/domain/canonical.js";
import { addFact, addPassages, type Fact, type PassageRef } from "../../src/domain/evidence.js";
import { LIMITS } from "../../src/domain/limits.js";
import type { Passage } from "../../src/domain/policy-document.js";
import type { Turn } from "../../src/nodes/case-state.js";
import { passagesOf } from "./ledger-tools.js";

export type Story = { transcript: Turn[]; facts: Fact[]; refs: PassageRef[]; texts: Map<string, Passage> };

function passage(number: number, length: number): Passage {
  const [sample] = passagesOf("RETURNS:p02");
  if (sample === undefined) throw new Error("no passage");
  const body = `${number} `.padEnd(length, "文");
  const id = `LONG:p${String(number % 90).padStart(2, "0")}:en:${Math.floor(number / 90)}`;
  return { ...sample, id, page: id.slice(0, 8), body, textHash: textHash(body) };
}

/** A history built from small steps: each turn's calls bring a fact, some passages or a plain text, of the given length. */
export function storyOf(
  turns: readonly (readonly { kind: "fact" | "passages" | "text"; length: number; quotes: boolean }[])[],
): Story {
  let story: Story = { transcript: [], facts: [], refs: [], texts: new Map() };
  let number = 0;
  for (const [turn, steps] of turns.entries()) {
    const calls: Turn["calls"] = [];
    for (const [place, { kind, length, quotes }] of steps.entries()) {
      number += 1;
      const text = (quotes ? '"\\' : "ab").repeat(Math.ceil(length / 2)).slice(0, length);
      const call = { id: `t${turn}-${place}`, name: "get_order", args: "{}" };
      if (kind === "fact") {
        const sourceId = `get_order:${number % 7}`;
        story = { ...story, facts: addFact(story.facts, sourceId, { text }) };
        calls.push({ ...call, answer: { kind, sourceId } });
      } else if (kind === "passages") {
        const made = passage(number, Math.min(length, LIMITS.paragraphChars));
        const refs = addPassages(story.refs, [made], { mandatory: number % 5 === 0 });
        story = { ...story, refs: refs ?? story.refs, texts: new Map(story.texts).set(made.id, made) };
        calls.push({ ...call, answer: { kind, ids: [made.id], covered: true } });
      } else {
        calls.push({ ...call, answer: { kind, ok: true, content: text } });
      }
    }
    story.transcript.push({ text: `turn ${turn}`, calls });
  }
  return story;
}

const step = fc.record({
  kind: fc.constantFrom("fact" as const, "passages" as const, "text" as const),
  length: fc.integer({ min: 0, max: 14_000 }),
  quotes: fc.boolean(),
});
export const stories = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 7 }).map(storyOf);
