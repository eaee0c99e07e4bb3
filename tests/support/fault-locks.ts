/** Points at which another process holds a database's lock, from one transaction of the program on. */
import { join } from "node:path";
import Database from "better-sqlite3";
import { openDoor } from "./fault-door.js";
import {
  commandOf,
  type Faults,
  newestCase,
  type Phase,
  type Point,
  paidOnceAtTheEnd,
  preloadUrl,
  runCommand,
  wrongWith,
} from "./fault-points.js";

/** The program waits five seconds in all: the first passes unnoticed, the second does not. */
const SHORT_MS = 1_000;
const LONG_MS = 12_000;

type Where = { phase: Phase; side: "host" | "service"; transaction: number };

/** A lock of each length in front of each transaction that a phase begins. */
export function lockPoints(phase: Phase, host: readonly string[], service: readonly string[]): Point[] {
  return [
    ...pointsBefore(begunIn(host), phase, "host", SHORT_MS),
    ...pointsBefore(begunIn(host), phase, "host", LONG_MS),
    ...pointsBefore(begunIn(service), phase, "service", SHORT_MS),
    ...pointsBefore(begunIn(service), phase, "service", LONG_MS),
  ];
}

/** The database of each transaction, in order. */
function begunIn(lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith("begin ")).map((line) => line.replace("begin ", ""));
}

function pointsBefore(begun: readonly string[], phase: Phase, side: Where["side"], lockMs: number): Point[] {
  return begun.map((database, index) => {
    const transaction = index + 1;
    const name = `${database} locked for ${lockMs / 1_000} s before transaction ${transaction} of the ${side}`;
    return {
      name: `${phase.name}: ${name}`,
      phase,
      waits: true,
      play: (stateDir) => playLock(stateDir, { phase, side, transaction }, lockMs),
    };
  });
}

async function playLock(stateDir: string, { side, transaction }: Where, lockMs: number): Promise<string[]> {
  const released: Promise<void>[] = [];
  const door = await openDoor(stateDir, (database, open) => {
    released.push(holdLock(database, lockMs));
    open();
  });
  const command = commandOf(stateDir);
  const inside = { knock: door.path, transaction };
  const mark = join(stateDir, "once");
  const faults: Faults = side === "host" ? { host: inside } : { message: { mark, preload: preloadUrl(inside) } };
  const run = await runCommand(stateDir, command, faults);
  await Promise.all(released);
  await door.close();
  const status = newestCase(stateDir)?.status;
  return [
    ...wrongWith(command, run),
    ...(released.length === 0 ? ["nobody met the lock"] : []),
    ...(lockMs === SHORT_MS && run.code !== 0 ? [`a short lock was noticed: ${run.stdout} ${run.stderr}`] : []),
    ...(status === "failed" ? ["the case failed, though waiting would have helped"] : []),
    ...(await paidOnceAtTheEnd(stateDir)),
  ];
}

/** Somebody else's transaction, held for that long. */
function holdLock(file: string, lockMs: number): Promise<void> {
  const database = new Database(file);
  database.exec("begin immediate");
  return new Promise((released) => {
    setTimeout(() => {
      database.close();
      released();
    }, lockMs);
  });
}
