import { expect, test } from "vitest";
import { neverBackwards } from "../../src/domain/clock.js";

test("a clock that is set back stands still until time has caught up", () => {
  const wall = [1_000, 2_000, 1_500, 500, 2_000, 2_001];
  const clock = neverBackwards({ nowMs: () => wall.shift() ?? 0 });
  expect(Array.from({ length: 6 }, () => clock.nowMs())).toEqual([1_000, 2_000, 2_000, 2_000, 2_000, 2_001]);
});
