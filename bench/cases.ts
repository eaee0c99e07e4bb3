/** Measures whole refund cases per second: in one process at three concurrencies, and in two and four processes on the same files. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { openDesk } from "./desk.js";
import { benchOrder, createMerchant, type Merchant } from "./merchant.js";
import { type Figure, printReport } from "./report.js";

const Said = z.strictObject({ word: z.string(), processorMs: z.number() });

const RUNS = 5;
const CASES = 120;
/** Played before the clock starts, in each process: the first cases load libraries and start the commerce process. */
const WARM_UP = 10;
const ARRANGEMENTS = [
  { processes: 1, concurrency: 1 },
  { processes: 1, concurrency: 8 },
  { processes: 1, concurrency: 32 },
  { processes: 2, concurrency: 4 },
  { processes: 4, concurrency: 4 },
];

const [stateDir, dataDir, from, count, concurrency] = process.argv.slice(2);
if (stateDir === undefined || dataDir === undefined) await parent();
else await child({ stateDir, dataDir, remove: () => undefined }, Number(from), Number(count), Number(concurrency));

async function parent(): Promise<void> {
  const figures = new Map<string, Figure>();
  const add = (name: string, unit: string, value: number): void => {
    const figure = figures.get(name) ?? { name, unit, values: [] };
    figure.values.push(value);
    figures.set(name, figure);
  };
  for (let run = 0; run < RUNS; run += 1) {
    for (const { processes, concurrency: each } of ARRANGEMENTS) {
      const name = `cases, ${processes === 1 ? "1 process" : `${processes} processes`}, concurrency ${each}${processes === 1 ? "" : " in each"}`;
      process.stderr.write(`${name}, run ${run + 1} of ${RUNS}\n`);
      const { perSecond, processorMs } = await play(processes, each);
      add(`${name}: rate`, "cases/s", perSecond);
      add(`${name}: processor time of the host`, "ms/case", processorMs);
    }
  }
  printReport(`Refund cases from question to receipt, ${CASES} a run, ${RUNS} runs`, [...figures.values()]);
}

async function play(processes: number, each: number): Promise<{ perSecond: number; processorMs: number }> {
  const share = CASES / processes;
  const merchant = await createMerchant(processes * (WARM_UP + share));
  try {
    const children = Array.from({ length: processes }, (_, index) =>
      start(merchant, index * (WARM_UP + share), share, each),
    );
    await Promise.all(children.map((player) => says(player, "ready")));
    const started = performance.now();
    const ended = children.map((player) => says(player, "done"));
    for (const player of children) player.send("go");
    const spent = await Promise.all(ended);
    const seconds = (performance.now() - started) / 1000;
    await Promise.all(children.map(exit));
    return { perSecond: CASES / seconds, processorMs: spent.reduce((sum, ms) => sum + ms) / CASES };
  } finally {
    merchant.remove();
  }
}

function start(merchant: Merchant, first: number, cases: number, each: number): ChildProcess {
  const script = fileURLToPath(import.meta.url);
  const args = [script, merchant.stateDir, merchant.dataDir, String(first), String(cases), String(each)];
  return spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}

/** Resolves with the processor time that the child names beside the word. */
function says(player: ChildProcess, word: string): Promise<number> {
  return new Promise((heard, fail) => {
    player.on("message", (message) => {
      const said = Said.parse(message);
      if (said.word === word) heard(said.processorMs);
    });
    player.on("exit", (code) => fail(new Error(`ended with ${code} before it said ${word}`)));
  });
}

function exit(player: ChildProcess): Promise<void> {
  return new Promise((ended) => {
    player.once("exit", () => ended());
    player.send("end");
  });
}

async function child(merchant: Merchant, first: number, cases: number, each: number): Promise<void> {
  const desk = await openDesk(merchant);
  await playAll(first, WARM_UP, 2);
  await told("go", "ready");
  const before = process.cpuUsage();
  await playAll(first + WARM_UP, cases, each);
  const { user, system } = process.cpuUsage(before);
  await told("end", "done", (user + system) / 1000);
  await desk.close();
  process.disconnect();

  async function playAll(start: number, total: number, lanes: number): Promise<void> {
    let next = start;
    const lane = async (): Promise<void> => {
      while (next < start + total) await desk.play(benchOrder(next++));
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }
}

function told(word: string, saying: string, processorMs = 0): Promise<void> {
  return new Promise((heard) => {
    process.on("message", (message) => message === word && heard());
    process.send?.({ word: saying, processorMs } satisfies z.infer<typeof Said>);
  });
}
