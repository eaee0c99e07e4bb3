/** FAULT_SHARE is `all` or one in how many points; FAULT_SEED chooses them; FAULT_POINT plays only points whose name contains it. */
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { enumeratePoints, preparePhases } from "../support/fault-matrix.js";
import { judged, type Phase, type Point } from "../support/fault-points.js";
import { refundedPerOrder } from "../support/ledger-audit.js";
import { inPool, seeded } from "../support/seeded-pool.js";

const { FAULT_SHARE = "60", FAULT_SEED = "20260912", FAULT_POINT } = process.env;
const WHOLE_MATRIX_MS = 3 * 60 * 60_000;

let phases: Phase[] = [];
afterAll(() => {
  for (const { template } of phases) rmSync(template, { recursive: true, force: true });
});
beforeAll(async () => {
  phases = await preparePhases(inject("templateDir"));
});

function chosen(points: readonly Point[]): Point[] {
  if (FAULT_POINT !== undefined) return points.filter(({ name }) => name.includes(FAULT_POINT));
  if (FAULT_SHARE === "all") return [...points];
  const random = seeded(Number(FAULT_SEED));
  return points.filter(({ waits }) => random() < 1 / Number(FAULT_SHARE) && !waits);
}

test(
  "a refund that breaks at any write, message or limit is paid exactly once in the end",
  async () => {
    const before = refundedPerOrder(inject("templateDir"));
    const points = await enumeratePoints(phases);
    const playing = chosen(points);
    expect(playing.length).toBeGreaterThan(0);
    const failures: string[] = [];
    let played = 0;
    await inPool(playing, 2, async (point) => {
      const wrong = await judged(point.phase.template, before, point.play);
      played += 1;
      if (wrong.length > 0) failures.push(`${point.name}\n    ${wrong.join("\n    ")}`);
      if (process.env.FAULT_PROGRESS) {
        process.stderr.write(
          `${played}/${playing.length} ${wrong.length > 0 ? "WRONG" : "sound"} ${point.name} ${wrong.join(" | ")}\n`,
        );
      }
    });
    if (process.env.FAULT_PROGRESS) process.stderr.write(`${played} of ${points.length} points played\n`);
    expect(failures.join("\n")).toBe("");
  },
  WHOLE_MATRIX_MS,
);
