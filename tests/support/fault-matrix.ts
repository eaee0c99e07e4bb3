/** Lists the points at which the story of a refund can break, and plays them. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import {
  ASK,
  type Command,
  copyOf,
  type HostFault,
  linesOf,
  type MessageFault,
  newestCase,
  nextCommand,
  paidOnceAtTheEnd,
  preloadUrl,
  runCommand,
} from "./fault-points.js";

export type Phase = { name: "ask" | "approve" | "resume"; template: string };
export type Point = {
  name: string;
  phase: Phase;
  /** A point at which a reply is waited for until its deadline. */
  slow: boolean;
  faults: (stateDir: string) => { host?: HostFault; message?: MessageFault };
};

const MESSAGE_FAULTS = ["kill-host", "kill-service", "delay", "twice", "drop", "garble"] as const;

/** The three phases of a refund, each with a state directory as the phase finds it. The caller removes them. */
export async function preparePhases(empty: string): Promise<Phase[]> {
  const fresh = copyOf(empty);
  const asked = copyOf(fresh);
  await runCommand(asked, ASK);
  const approved = copyOf(asked);
  await runCommand(approved, commandOf(approved));
  return [
    { name: "ask", template: fresh },
    { name: "approve", template: asked },
    { name: "resume", template: approved },
  ];
}

function commandOf(stateDir: string): Command {
  const next = nextCommand(newestCase(stateDir));
  if (next === null) throw new Error("the prepared case has ended already");
  return next;
}

/** Plays each phase once without a fault and writes down every write and message; each of them is a point. */
export async function enumeratePoints(phases: readonly Phase[]): Promise<Point[]> {
  const points: Point[] = [];
  for (const phase of phases) {
    const stateDir = copyOf(phase.template);
    const [host, messages, service] = ["host-writes", "messages", "service-writes"].map((file) => join(stateDir, file));
    if (host === undefined || messages === undefined || service === undefined) throw new Error("three logs");
    await runCommand(stateDir, commandOf(stateDir), {
      host: { log: host },
      message: { log: messages, preload: preloadUrl({ log: service }) },
    });
    for (const { at, when } of killsIn(linesOf(host))) {
      const name = `${phase.name}: host killed ${when} write ${at}`;
      points.push({ name, phase, slow: false, faults: () => ({ host: { at, when } }) });
    }
    for (const { at, when } of killsIn(linesOf(service))) {
      const name = `${phase.name}: service killed ${when} its write ${at}`;
      const preload = preloadUrl({ at, when });
      points.push({
        name,
        phase,
        slow: false,
        faults: (dir) => ({ message: { mark: join(dir, "once"), preload } }),
      });
    }
    for (const [index, from] of linesOf(messages).entries()) {
      for (const fault of MESSAGE_FAULTS) {
        const at = index + 1;
        points.push({
          name: `${phase.name}: ${fault} at message ${at}, from the ${from}`,
          phase,
          slow: fault === "drop" || fault === "garble",
          faults: (dir) => ({ message: { at, fault, mark: join(dir, "once") } }),
        });
      }
    }
    points.push(...surroundings(phase));
    rmSync(stateDir, { recursive: true, force: true });
  }
  return points;
}

function surroundings(phase: Phase): Point[] {
  const point = (name: string, host: HostFault, message?: MessageFault): Point => ({
    name: `${phase.name}: ${name}`,
    phase,
    slow: false,
    faults: () => (message === undefined ? { host } : { host, message }),
  });
  return [
    point("the host's databases are full", { full: true }),
    point("the service's database is full", {}, { preload: preloadUrl({ full: true }) }),
    point("the clock is an hour ahead", { skewMs: 3_600_000 }),
    point("the clock is an hour behind", { skewMs: -3_600_000 }),
    point("the clock is a minute ahead", { skewMs: 60_000 }),
  ];
}

function killsIn(lines: readonly string[]): { at: number; when: "before" | "after" }[] {
  return lines.flatMap((kind, index) => {
    const at = index + 1;
    const before = { at, when: "before" as const };
    return kind === "commit" ? [before, { at, when: "after" as const }] : [before];
  });
}

/** One command with the fault in it, then a person's commands. Returns what is wrong in the end. */
export async function playPoint(point: Point, stateDir: string): Promise<string[]> {
  const faulted = await runCommand(stateDir, commandOf(stateDir), point.faults(stateDir));
  const trace = /^\s+at \S+ \(/m.test(faulted.stderr) ? ["a stack trace was shown"] : [];
  return [...trace, ...(await paidOnceAtTheEnd(stateDir))];
}

/** Works through a list with so many at once. */
export async function inPool<Item>(items: readonly Item[], width: number, work: (item: Item) => Promise<void>) {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** A seeded choice without an order of its own: the same seed gives the same points. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
