/** Points at which several processes work on one case or one order at the same moment. */
import { openDoor } from "./fault-door.js";
import {
  ASK,
  type Command,
  casesIn,
  finishCase,
  type Phase,
  type Point,
  runCommand,
  wrongWith,
} from "./fault-points.js";
import { seeded } from "./seeded-pool.js";
import { workspaceAt } from "./workspace.js";

const SIZES = [2, 4, 8];
const RACES_EACH = 6;
/** A process goes on from before one of its first transactions: some meet at the claim, some in the middle of their work. */
const TRANSACTIONS = 8;
const ENDED = ["completed", "needs_input", "rejected", "withdrawn"];

type Runner = { command: Command; transaction: number };

export function racePoints(phases: readonly Phase[]): Point[] {
  return ["one case", "one order"].flatMap((on, field) =>
    SIZES.flatMap((size) =>
      Array.from({ length: RACES_EACH }, (_, race): Point[] => {
        const random = seeded(1_000 * (field + 1) + 10 * size + race);
        const pick = <Item>(items: readonly Item[]): Item => {
          const item = items[Math.floor(random() * items.length)];
          if (item === undefined) throw new Error("nothing to pick from");
          return item;
        };
        const phase = pick(on === "one case" ? phases.slice(1) : phases);
        const kinds = Array.from({ length: size }, () => pick(on === "one case" ? ON_CASE : ON_ORDER));
        const at = Array.from({ length: size }, () => 1 + Math.floor(random() * TRANSACTIONS));
        return [
          {
            name: `race ${race + 1} of ${size} processes on ${on}, before ${phase.name}: ${kinds.join(", ")}`,
            phase,
            waits: false,
            play: (stateDir) =>
              playRace(
                stateDir,
                kinds.map((kind, index) => ({ command: commandFor(kind, stateDir), transaction: at[index] ?? 1 })),
              ),
          },
        ];
      }).flat(),
    ),
  );
}

const ON_CASE = ["approve", "reject", "resume", "resume as reviewer", "withdraw", "requote"] as const;
const ON_ORDER = ["ask", "ask", "ask in Chinese", ...ON_CASE] as const;

function commandFor(kind: (typeof ON_ORDER)[number], stateDir: string): Command {
  const [one] = casesIn(stateDir);
  if (kind === "ask in Chinese")
    return { profile: "alice", args: ["ask", "请为 QH-1001 办理退款。", "--language", "zh"] };
  if (kind === "ask" || one === undefined) return ASK;
  const { caseId, approval } = one;
  const decide = (verdict: string): Command => ({
    profile: "chen",
    args: ["review", caseId, "--digest", approval?.digest ?? "", verdict],
  });
  return {
    approve: decide("--approve"),
    reject: decide("--reject"),
    resume: { profile: "alice", args: ["resume", caseId] },
    "resume as reviewer": { profile: "chen", args: ["resume", caseId] },
    withdraw: { profile: "alice", args: ["withdraw", caseId] },
    requote: { profile: "alice", args: ["requote", caseId] },
  }[kind];
}

/** All of them stop before a transaction until the others do too or have ended; then they go on together. */
async function playRace(stateDir: string, runners: readonly Runner[]): Promise<string[]> {
  const waiting: (() => void)[] = [];
  let expected = runners.length;
  const openWhenAllAreHere = (): void => {
    if (waiting.length === expected) for (const open of waiting.splice(0)) open();
  };
  const door = await openDoor(stateDir, (_database, open) => {
    waiting.push(open);
    openWhenAllAreHere();
  });
  const wrong = await Promise.all(
    runners.map(async ({ command, transaction }) => {
      const run = await runCommand(stateDir, command, { host: { knock: door.path, transaction } });
      expected -= 1;
      openWhenAllAreHere();
      return wrongWith(command, run);
    }),
  );
  await door.close();
  return [...wrong.flat(), ...(await allEnd(stateDir))];
}

/** A person finishes every case; the one order is refunded once at most. */
async function allEnd(stateDir: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const { caseId } of casesIn(stateDir)) {
    const done = await finishCase(stateDir, 0, caseId);
    const status = casesIn(stateDir).find((one) => one.caseId === caseId)?.status ?? "gone";
    if (!ENDED.includes(status)) wrong.push(`a case stayed ${status} after ${done.join("; ")}`);
  }
  const receipts = workspaceAt(stateDir).query("commerce", "select approval_id from receipts").length;
  if (receipts > 1) wrong.push(`one order was refunded ${receipts} times`);
  return wrong;
}
