/** TORTURE_MINUTES is for how long (without it, one day), TORTURE_SEED chooses the days, TORTURE_COUNTS is a folder for the counts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { refundedPerOrder } from "../support/ledger-audit.js";
import { inPool, seeded } from "../support/seeded-pool.js";
import { playDay, type Tally } from "../support/torture.js";

const { TORTURE_MINUTES = "0", TORTURE_SEED = "20260912", TORTURE_COUNTS } = process.env;
const FOR_MS = Number(TORTURE_MINUTES) * 60_000;
/** Knuth's multiplier: neighbouring seeds begin unlike days. */
const SPREAD = 2_654_435_761;
const ONE_DAY_MS = 10 * 60_000;

test(
  "however people's commands break and cross, every case comes to an end and the books agree",
  async () => {
    const template = inject("templateDir");
    const before = refundedPerOrder(template);
    const until = Date.now() + FOR_MS;
    const tally: Tally = {};
    const found: string[] = [];
    const play = async (lane: number): Promise<void> => {
      for (let day = lane; day === 0 || Date.now() < until; day += 2) {
        const seed = Number(TORTURE_SEED) + day;
        const wrong = await playDay(template, before, seeded(Math.imul(seed, SPREAD)), tally);
        tally.days = (tally.days ?? 0) + 1;
        found.push(...wrong.map((sentence) => `day of seed ${seed}: ${sentence}`));
        if (TORTURE_COUNTS !== undefined) {
          writeFileSync(join(TORTURE_COUNTS, "torture.json"), JSON.stringify(tally));
          process.stderr.write(`day of seed ${seed}: ${wrong.length === 0 ? "sound" : wrong.join("\n    ")}\n`);
        }
      }
    };
    await inPool(FOR_MS === 0 ? [0] : [0, 1], 2, play);
    expect(found.join("\n")).toBe("");
  },
  FOR_MS + ONE_DAY_MS,
);
