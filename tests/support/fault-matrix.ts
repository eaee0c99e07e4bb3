/** Lists the points at which the story of a refund can break. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { readOnlyPoints } from "./fault-files.js";
import { lockPoints } from "./fault-locks.js";
import {
  ASK,
  commandOf,
  copyOf,
  type Faults,
  linesOf,
  type Phase,
  type Point,
  playFaults,
  preloadUrl,
  runCommand,
} from "./fault-points.js";
import { racePoints } from "./fault-races.js";

const MESSAGE_FAULTS = ["kill-host", "kill-service", "delay", "twice", "drop", "garble"] as const;
/** After these a reply is waited for until its deadline. */
const UNANSWERED: readonly string[] = ["drop", "garble"];

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
    const point = pointsOf(phase);
    for (const { at, when } of killsIn(linesOf(host))) {
      points.push(point(`host killed ${when} write ${at}`, () => ({ host: { at, when } })));
    }
    for (const { at, when } of killsIn(linesOf(service))) {
      const preload = preloadUrl({ at, when });
      const faults = (dir: string): Faults => ({ message: { mark: join(dir, "once"), preload } });
      points.push(point(`service killed ${when} its write ${at}`, faults));
    }
    for (const [index, from] of linesOf(messages).entries()) {
      for (const fault of MESSAGE_FAULTS) {
        const at = index + 1;
        const faults = (dir: string): Faults => ({ message: { at, fault, mark: join(dir, "once") } });
        points.push(point(`${fault} at message ${at}, from the ${from}`, faults, UNANSWERED.includes(fault)));
      }
    }
    points.push(
      point("the host's databases are full", () => ({ host: { full: true } })),
      point("the service's database is full", () => ({ message: { preload: preloadUrl({ full: true }) } })),
      point("the clock is an hour ahead", () => ({ host: { skewMs: 3_600_000 } })),
      point("the clock is an hour behind", () => ({ host: { skewMs: -3_600_000 } })),
      point("the clock is a minute ahead", () => ({ host: { skewMs: 60_000 } })),
      ...lockPoints(phase, linesOf(host), linesOf(service)),
      ...readOnlyPoints(phase),
    );
    rmSync(stateDir, { recursive: true, force: true });
  }
  return [...points, ...racePoints(phases)];
}

function pointsOf(phase: Phase) {
  return (name: string, faults: (stateDir: string) => Faults, waits = false): Point => ({
    name: `${phase.name}: ${name}`,
    phase,
    waits,
    play: (stateDir) => playFaults(stateDir, faults(stateDir)),
  });
}

function killsIn(lines: readonly string[]): { at: number; when: "before" | "after" }[] {
  return lines.flatMap((line, index) => {
    const at = index + 1;
    const before = { at, when: "before" as const };
    return line.startsWith("commit") ? [before, { at, when: "after" as const }] : [before];
  });
}
