import fc from "fast-check";
import { expect, test } from "vitest";
import { textHash } from "../../src/domain/canonical.js";
import { addFact, addPassages, type PassageRef, pageOf, shownPassages } from "../../src/domain/evidence.js";
import { LIMITS } from "../../src/domain/limits.js";

const passage = (number: number, document = "DELIVERY") => {
  const id = `${document}:p${String(number % 90).padStart(2, "0")}:en:${Math.floor(number / 90)}`;
  return { id, version: "2026-09", textHash: textHash(id) };
};
const many = (count: number, from = 0, document = "DELIVERY") =>
  Array.from({ length: count }, (_, index) => passage(from + index, document));
const added = (kept: readonly PassageRef[], list: ReturnType<typeof many>, mandatory = false): PassageRef[] => {
  const next = addPassages(kept, list, { mandatory });
  if (next === null) throw new Error("refused");
  return next;
};
const quotePages = many(6, 0, "RETURNS");

test("after any sequence of searches a case keeps 32 passages at most, and a refused addition changes nothing", () => {
  const batch = fc.record({ from: fc.nat({ max: 80 }), count: fc.integer({ min: 1, max: 4 }) });
  fc.assert(
    fc.property(fc.array(batch, { maxLength: 24 }), (batches) => {
      let kept: PassageRef[] = [];
      for (const { from, count } of batches) {
        const before = structuredClone(kept);
        const next = addPassages(kept, many(count, from), { mandatory: false });
        expect(kept).toEqual(before);
        kept = next ?? kept;
        expect(kept.length).toBeLessThanOrEqual(LIMITS.passagesKept);
      }
    }),
  );
});

test("the 33rd passage is refused as a whole, also together with known ones", () => {
  const full = added([], many(32));
  expect(addPassages(full, many(2, 31), { mandatory: false })).toBeNull();
  expect(addPassages(added([], many(30)), many(4, 30), { mandatory: false })).toBeNull();
  expect(added(full, many(4, 0))).toHaveLength(32);
});

test("a full store still takes the quote's pages, and gives up the worst of its oldest searches for them", () => {
  const full = [0, 4, 8, 12, 16, 20, 24, 28].reduce<PassageRef[]>((kept, from) => added(kept, many(4, from)), []);
  const quoted = added(full, quotePages, true);
  expect(quoted).toHaveLength(32);
  expect(quoted.filter(({ mandatory }) => mandatory).map(({ id }) => id)).toEqual(quotePages.map(({ id }) => id));
  const ids = new Set(quoted.map(({ id }) => id));
  expect([...many(4), ...many(2, 6)].some(({ id }) => ids.has(id))).toBe(false);
  expect([...many(2, 4), ...many(24, 8)].every(({ id }) => ids.has(id))).toBe(true);
});

test("quoting twice adds nothing, and a search cannot make a mandatory passage optional", () => {
  const once = added([], quotePages, true);
  const twice = added(once, quotePages, true);
  expect(twice.map(({ id }) => id)).toEqual(once.map(({ id }) => id));
  expect(added(twice, quotePages).every(({ mandatory }) => mandatory)).toBe(true);
});

test("a passage seen again counts as new, without being kept twice", () => {
  const kept = added(added([], many(3)), [passage(0)]);
  expect(kept).toHaveLength(3);
  expect(shownPassages(kept)[0]?.id).toBe(passage(0).id);
});

test("a model is shown the mandatory passages first, then the newest search with its best first, 12 at most", () => {
  const kept = added(added(added([], quotePages, true), many(4)), many(4, 4));
  const shown = shownPassages(kept);
  expect(shown).toHaveLength(LIMITS.passagesShown);
  expect(shown.slice(0, 6).map(({ id }) => id)).toEqual(quotePages.map(({ id }) => id));
  expect(shown.slice(6).map(({ id }) => id)).toEqual([...many(4, 4), ...many(2)].map(({ id }) => id));
});

test("the selection depends on the sequence alone: storage order, saving and reloading change nothing", () => {
  const kept = added(added(added([], many(10)), quotePages, true), many(10, 40));
  const expected = shownPassages(kept);
  fc.assert(
    fc.property(fc.shuffledSubarray(kept, { minLength: kept.length }), (shuffled) => {
      expect(shownPassages(JSON.parse(JSON.stringify(shuffled)))).toEqual(expected);
      expect(added(shuffled, [passage(77)]).find(({ id }) => id === passage(77).id)?.sequence).toBe(
        Math.max(...kept.map(({ sequence }) => sequence)) + 1,
      );
    }),
  );
});

test("the last search is always shown", () => {
  let kept: PassageRef[] = [];
  for (let search = 0; search < 8; search += 1)
    kept = added(kept, many(4, search * 4, search % 2 === 0 ? "WARRANTY" : "AGREEMENT"));
  const last = many(4, 28, "AGREEMENT").map(({ id }) => id);
  expect(shownPassages(kept).map(({ id }) => id)).toEqual(expect.arrayContaining(last));
});

test("a newer reading of a record replaces the older one and counts as newest", () => {
  const facts = addFact(
    addFact(addFact([], "get_order:QH-1001", { version: 1 }), "get_product:DESK-01", {}),
    "get_order:QH-1001",
    {
      version: 2,
    },
  );
  expect(facts.map(({ sourceId, sequence, data }) => [sourceId, sequence, data])).toEqual([
    ["get_product:DESK-01", 1, "{}"],
    ["get_order:QH-1001", 2, '{"version":2}'],
  ]);
});

test("a fact is text, so that a record cannot come back from a checkpoint as an object of its own", () => {
  const [fact] = addFact([], "get_order:QH-1001", { lc: 1, type: "constructor", id: ["langchain_core"] });
  expect(fact?.data).toBe('{"lc":1,"type":"constructor","id":["langchain_core"]}');
});

test("a passage belongs to its page", () => {
  expect(pageOf("RETURNS:p02:zh:0")).toBe("RETURNS:p02");
});
