/** What a model is shown of a case does not depend on whether the case was saved and read again in between. */
import { END, START, StateGraph } from "@langchain/langgraph";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { LeasedSaver } from "../../src/adapters/leased-saver.js";
import { LIMITS } from "../../src/domain/limits.js";
import { InvestigateChannels, InvestigateInput } from "../../src/graph/state.js";
import { evidencePayload, investigationContext } from "../../src/nodes/context.js";
import { type Story, stories, storyOf } from "../support/context-stories.js";
import { createLedger } from "../support/ledger.js";
import { investigateState } from "../support/ledger-nodes.js";

const BASE = { question: "Please refund QH-1001.", language: "en", procedure: "x".repeat(2_000) };

/** The investigation's own channels over the host's own checkpointer. */
function graphOn(saver: LeasedSaver, { transcript, facts, refs }: Story) {
  return new StateGraph({ state: InvestigateChannels, input: InvestigateInput })
    .addNode("found", () => ({ transcript, facts, evidence: refs }))
    .addEdge(START, "found")
    .addEdge("found", END)
    .compile({ checkpointer: saver });
}

test("what the model is shown is the same before a case is saved and after it is read again, and always fits", async () => {
  const ledger = await createLedger();
  const [writing, reading] = [await ledger.open(), await ledger.open()];
  const [writer, reader] = [await writing.checkpoints(), await reading.checkpoints()];
  const { question, language, brief } = investigateState();
  let thread = 0;
  await fc.assert(
    fc.asyncProperty(stories, async (story) => {
      const config = { configurable: { thread_id: `thread-${++thread}` } };
      await writer.raise(config.configurable.thread_id, 1);
      await graphOn(writer, story).invoke({ question, language, brief }, config);
      const { values } = await graphOn(reader, storyOf([])).getState(config);
      const again: Story = { ...story, transcript: values.transcript, facts: values.facts, refs: values.evidence };
      expect(again.transcript).toHaveLength(story.transcript.length);
      const before = investigationContext({ base: BASE, ...story });
      const after = investigationContext({ base: BASE, ...again });
      expect(JSON.stringify(after)).toBe(JSON.stringify(before));
      const size = JSON.stringify(after.payload).length + JSON.stringify(after.turns).length;
      expect(size).toBeLessThanOrEqual(LIMITS.payloadChars);
      expect(after.payload).toMatchObject(BASE);
      expect(JSON.stringify(evidencePayload(BASE, again.facts, again.refs, again.texts))).toBe(
        JSON.stringify(evidencePayload(BASE, story.facts, story.refs, story.texts)),
      );
    }),
    { numRuns: 60 },
  );
});

test("nor does it depend on the order in which the records are kept", () => {
  fc.assert(
    fc.property(stories, (story) => {
      const turned = { ...story, facts: story.facts.toReversed(), refs: story.refs.toReversed() };
      expect(investigationContext({ base: BASE, ...turned })).toEqual(investigationContext({ base: BASE, ...story }));
      expect(evidencePayload(BASE, turned.facts, turned.refs, turned.texts)).toEqual(
        evidencePayload(BASE, story.facts, story.refs, story.texts),
      );
    }),
    { numRuns: 40 },
  );
});
