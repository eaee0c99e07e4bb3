/** Measures the commerce process over stdio: calls per second, one after another and eight at a time, and its start. */
import { createCommerceLine } from "../src/adapters/commerce-line.js";
import { statePaths } from "../src/adapters/state-directory.js";
import { TenantId, UserId } from "../src/domain/ids.js";
import { benchConfig, createMerchant, type Merchant } from "./merchant.js";
import { type Figure, printReport } from "./report.js";

const RUNS = 5;
const CALLS = 2_000;
const WARM_UP = 200;
const ALICE = { tenant: TenantId.parse("qinghe"), user: UserId.parse("alice") };
const OPTIONS = { remainingMs: () => 15_000 };

const started: Figure = { name: "from nothing to the first answer", unit: "ms", values: [] };
const alone: Figure = { name: "get_order, one after another", unit: "calls/s", values: [] };
const together: Figure = { name: "get_order, eight at a time", unit: "calls/s", values: [] };

const merchant = await createMerchant(0);
try {
  for (let run = 1; run <= RUNS; run += 1) {
    process.stderr.write(`commerce, run ${run} of ${RUNS}\n`);
    await measure(merchant);
  }
} finally {
  merchant.remove();
}
printReport(`Commerce calls over stdio, as a tool makes them, ${CALLS} a run, ${RUNS} runs`, [
  started,
  alone,
  together,
]);

async function measure({ stateDir, dataDir }: Merchant): Promise<void> {
  const line = createCommerceLine({ process: benchConfig().commerce, paths: statePaths(stateDir), dataDir });
  try {
    const began = performance.now();
    const reads = line.reads(ALICE);
    const call = async (): Promise<void> => {
      const { kind } = await reads.call("get_order", { order_id: "QH-1001" }, OPTIONS);
      if (kind !== "ok") throw new Error(kind);
    };
    await call();
    started.values.push(performance.now() - began);
    for (let index = 0; index < WARM_UP; index += 1) await call();
    alone.values.push(await rate(1, call));
    together.values.push(await rate(8, call));
  } finally {
    await line.close();
  }
}

async function rate(lanes: number, call: () => Promise<void>): Promise<number> {
  const began = performance.now();
  const lane = async (): Promise<void> => {
    for (let index = 0; index < CALLS / lanes; index += 1) await call();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return CALLS / ((performance.now() - began) / 1000);
}
