import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { recordOf } from "../support/graph-case.js";
import {
  ask,
  clock,
  decide,
  edit,
  expectCode,
  loseReceipts,
  type Real,
  resume,
  resumed,
  type Step,
  type Tally,
  throughGraph,
  trouble,
} from "../support/lifecycle-commands.js";
import { expectAgreement, readDisk } from "../support/lifecycle-compare.js";
import { follow, MINUTE_MS, type Reference } from "../support/lifecycle-reference.js";
import { createWorld, type World } from "../support/lifecycle-world.js";

/** `npm run lifecycle` says how many lives, from which seed, and where the counts go. */
const RUNS = Number(process.env.LIFECYCLE_RUNS ?? 10);
const SEED = Number(process.env.LIFECYCLE_SEED ?? 20_260_912);
const START_MS = Date.parse("2026-09-12T10:00:00.000Z");
const LEASE_MS = 31_000;

const orderId = fc.constantFrom("QH-1001", "QH-1009");
const how = fc.constantFrom("kill", "fail");
const which = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) });
const anyone = fc.constantFrom("alice", "chen", "bob", "mei");
const insider = fc.constantFrom("alice", "chen");
const verb = fc.constantFrom("approve", "reject", "requote", "withdraw");
const mostly = fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) });

const steps: fc.Arbitrary<Step>[] = [
  orderId.map(ask),
  fc.tuple(which, fc.constant("chen" as const), fc.constant("approve" as const), mostly).map((args) => decide(...args)),
  fc
    .tuple(which, fc.constant("alice" as const), fc.constant("requote" as const), mostly)
    .map((args) => decide(...args)),
  fc.tuple(which, anyone, verb, mostly).map((args) => decide(...args)),
  fc.tuple(which, insider).map((args) => resume(...args)),
  fc.tuple(which, insider).map((args) => resume(...args)),
  fc
    .tuple(which, insider, fc.oneof(verb, fc.constantFrom("continue" as const, "new question" as const)))
    .map((args) => throughGraph(...args)),
  fc.tuple(which, how, fc.constant("resume" as const), fc.nat(60), orderId).map((args) => trouble(...args)),
  fc.tuple(which, how, fc.constantFrom("ask", "requote"), fc.nat(150), orderId).map((args) => trouble(...args)),
  fc.constantFrom(1_000, LEASE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 16 * MINUTE_MS, 60 * MINUTE_MS).map(clock),
  fc.constantFrom(1, 2, 5).map(loseReceipts),
  fc.tuple(which, fc.constantFrom("order version", "approved", "expires_at column")).map((args) => edit(...args)),
];

it("whatever happens to its cases, money, approvals and statuses are those of a page of plain rules", {
  timeout: 120_000 + RUNS * 10_000,
}, async () => {
  const tally: Tally = {};
  await fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: 14, size: "+1" }), async (commands) => {
      const world = await createWorld(START_MS);
      const ref: Reference = {
        nowMs: START_MS,
        orders: {
          "QH-1001": { paidCents: 12_900, refundedCents: 0, version: 1 },
          "QH-1009": { paidCents: 12_900, refundedCents: 4_900, version: 1 },
        },
        cases: [],
        lose: 0,
        tampered: false,
      };
      try {
        const real: Real = { world, tally };
        await fc.asyncModelRun(async () => {
          await ask("QH-1001").run(ref, real);
          return { model: ref, real };
        }, commands);
        await expectAnEnd(ref, world);
      } finally {
        await world.close();
      }
    }),
    { numRuns: RUNS, seed: SEED, ...(RUNS > 50 ? {} : { interruptAfterTimeLimit: 100_000 }) },
  );
  handOver(tally);
});

/** Once nobody disturbs it, every case goes to where it leads, can be looked at, and the books agree. */
async function expectAnEnd(ref: Reference, world: World): Promise<void> {
  await loseReceipts(0).run(ref, { world, tally: {} });
  await clock(LEASE_MS).run(ref, { world, tally: {} });
  const undelivered = ref.cases.filter(({ delivered }) => !delivered);
  for (const each of [...undelivered, ...ref.cases]) {
    const { code } = await resumed(world, "alice", each.id);
    follow(ref, each, true);
    expectCode(code, each.errorCode);
    expect((await world.command("chen", "inspect", each.id, "--events")).exit).toBe(0);
  }
  expectAgreement(readDisk(world.workspace), ref);
  for (const { id, status, approval } of ref.cases) {
    const { receipt, ...recorded } = recordOf(world.workspace, id);
    expect([recorded.status, receipt !== null], `record of ${id}`).toEqual([status, approval?.state === "settled"]);
  }
  expect(ref.cases.filter(({ approval }) => approval?.state === "approved")).toEqual([]);
  if (!ref.tampered) expect(await world.command("chen", "audit")).toMatchObject({ exit: 0, code: null });
}

function handOver(tally: Tally): void {
  const folder = process.env.LIFECYCLE_COUNTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "lifecycle.json"), JSON.stringify(tally));
}
