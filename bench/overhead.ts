/** Measures what one refund case costs outside the model, by phase, with a model that answers at once; and write transactions, bytes and memory. */
import { join } from "node:path";
import { openDesk } from "./desk.js";
import { bytesInUse } from "./file-sizes.js";
import { benchOrder, createMerchant, type Merchant } from "./merchant.js";
import { type Figure, printReport } from "./report.js";
import { writeTransactions } from "./wal-commits.js";

const RUNS = 5;
const WARM_UP = 10;
const CASES = 40;
const DATABASES = {
  application: "host/application.db",
  checkpoints: "host/checkpoints.db",
  commerce: "commerce/commerce.db",
};
const NAMES = ["application", "checkpoints", "commerce"] as const;
const MIB = 2 ** 20;

const figures = new Map<string, Figure>();
for (let run = 1; run <= RUNS; run += 1) {
  process.stderr.write(`overhead, run ${run} of ${RUNS}\n`);
  await measure(true);
  await measure(false);
}
printReport(`One refund case outside the model, ${CASES} cases a run one after another, ${RUNS} runs`, [
  ...figures.values(),
]);

function add(name: string, unit: string, value: number): void {
  const figure = figures.get(name) ?? { name, unit, values: [] };
  figure.values.push(value);
  figures.set(name, figure);
}

async function measure(keepHistory: boolean): Promise<void> {
  const merchant = await createMerchant(WARM_UP + CASES);
  try {
    await play(merchant, keepHistory);
  } finally {
    merchant.remove();
  }
}

async function play(merchant: Merchant, keepHistory: boolean): Promise<void> {
  const spent = new Map<string, number>();
  let phase = "start";
  let since = performance.now();
  const enter = (next: string): void => {
    const now = performance.now();
    spent.set(phase, (spent.get(phase) ?? 0) + now - since);
    [phase, since] = [next, now];
  };
  const desk = await openDesk(merchant, {
    keepHistory,
    progress: (event) => event.status === "started" && enter(event.phase),
  });
  const path = (name: (typeof NAMES)[number]): string => join(merchant.stateDir, DATABASES[name]);
  const sizes = () => NAMES.map((name) => bytesInUse(path(name)));
  const playOne = async (index: number): Promise<void> => {
    enter("open");
    await desk.play(benchOrder(index), (part) =>
      enter(part === "ask" ? "decide" : part === "approve" ? "settle" : "end"),
    );
    enter("between");
  };
  for (let index = 0; index < WARM_UP - 1; index += 1) await playOne(index);
  const before = NAMES.map((name) => writeTransactions(path(name)));
  await playOne(WARM_UP - 1);
  const written = NAMES.map((name, at) => writeTransactions(path(name)) - (before[at] ?? 0));
  const sizesBefore = sizes();
  spent.clear();
  for (let index = WARM_UP; index < WARM_UP + CASES; index += 1) await playOne(index);
  const grown = sizes().map((bytes, at) => (bytes - (sizesBefore[at] ?? 0)) / CASES);
  await desk.close();
  if (!keepHistory) {
    spent.delete("between");
    for (const [name, ms] of spent) add(`time: ${name}`, "ms", ms / CASES);
    add("time: all phases", "ms", [...spent.values()].reduce((sum, ms) => sum + ms) / CASES);
    for (const [at, name] of NAMES.entries()) add(`write transactions, ${name}.db`, "per case", written[at] ?? 0);
    add("memory after these cases, whole process", "MiB", process.memoryUsage().rss / MIB);
  }
  const state = keepHistory ? "before pruning" : "after pruning";
  for (const [at, name] of NAMES.entries()) {
    add(`kept of a finished case ${state}, ${name}.db`, "bytes", grown[at] ?? 0);
  }
}
