import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openDesk } from "../../bench/desk.js";
import { bytesInUse } from "../../bench/file-sizes.js";
import { benchOrder, createMerchant } from "../../bench/merchant.js";
import { writeTransactions } from "../../bench/wal-commits.js";

/** Enough that half-filled pages even out. */
const CASES = 32;
const LANES = 8;
const KILOBYTE = 1024;

async function openMerchant() {
  const merchant = await createMerchant(CASES + LANES);
  onTestFinished(() => merchant.remove());
  const desk = await openDesk(merchant);
  onTestFinished(() => desk.close());
  const application = join(merchant.stateDir, "host", "application.db");
  const checkpoints = join(merchant.stateDir, "host", "checkpoints.db");
  const commerce = join(merchant.stateDir, "commerce", "commerce.db");
  return { desk, application, checkpoints, commerce };
}

it("a refund case from the question to the receipt takes at most 25 write transactions of application.db, and one of commerce.db", async () => {
  const { desk, application, commerce } = await openMerchant();
  await desk.play(benchOrder(0));
  const before = { application: writeTransactions(application), commerce: writeTransactions(commerce) };
  await desk.play(benchOrder(1));
  expect(before.application).toBeGreaterThan(0);
  expect(writeTransactions(application) - before.application).toBeLessThanOrEqual(25);
  expect(writeTransactions(commerce) - before.commerce).toBe(1);
});

it("less than 20 KB are kept of a finished case", async () => {
  const { desk, application, checkpoints, commerce } = await openMerchant();
  const kept = (): number => [application, checkpoints, commerce].map(bytesInUse).reduce((sum, bytes) => sum + bytes);
  let played = 0;
  const playTo = async (end: number): Promise<void> => {
    while (played < end) await desk.play(benchOrder(played++));
  };
  await playTo(LANES);
  const before = kept();
  await Promise.all(Array.from({ length: LANES }, () => playTo(LANES + CASES)));
  expect((kept() - before) / CASES).toBeLessThan(20 * KILOBYTE);
});
