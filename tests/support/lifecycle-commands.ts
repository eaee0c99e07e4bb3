/** The steps a life consists of. Each does one thing to the product and to the reference, and the two must agree afterwards. */
import { Command } from "@langchain/langgraph";
import type fc from "fast-check";
import { expect } from "vitest";
import type { Identity } from "../../src/domain/identity.js";
import { CaseId } from "../../src/domain/ids.js";
import type { Session } from "../../src/graph/session.js";
import type { GraphInput } from "./graph-case.js";
import { adopt } from "./lifecycle-adopt.js";
import { expectAgreement, readDisk } from "./lifecycle-compare.js";
import {
  follow,
  isBusy,
  type Person,
  type Reference,
  type ReferenceCase,
  record,
  refusal,
  type Verb,
} from "./lifecycle-reference.js";
import type { Answer, Trouble, World } from "./lifecycle-world.js";

export type Tally = Record<string, number>;
export type Real = { world: World; tally: Tally };
export type Step = fc.AsyncCommand<Reference, Real>;

const WRONG = "0".repeat(64);
const pick = (ref: Reference, n: number): ReferenceCase | undefined => ref.cases[n % ref.cases.length];
const thread = (caseId: string) => ({
  configurable: { thread_id: caseId, __pregel_strict_resume: true },
  durability: "sync" as const,
});

/** A step on one of the cases there are; skipped while there is none or `when` says no. */
function onCase(
  name: string,
  n: number,
  act: (it: ReferenceCase, ref: Reference, world: World) => Promise<string | null>,
  when: (it: ReferenceCase, ref: Reference) => boolean = () => true,
): Step {
  return {
    check: (ref) => {
      const it = pick(ref, n);
      return it !== undefined && when(it, ref);
    },
    async run(ref, { world, tally }) {
      const it = pick(ref, n);
      if (it === undefined) return;
      const code = await act(it, ref, world);
      const label = `${name.split(" ")[0]}: ${code ?? it.status ?? "killed"}`;
      tally[label] = (tally[label] ?? 0) + 1;
      expectAgreement(readDisk(world.workspace), ref);
    },
    toString: () => `${name} #${n}`,
  };
}

/** A case on the way to its answer has quoted its order already, or not yet: meanwhile the order is left as it is. */
const orderMayChange = (it: ReferenceCase, ref: Reference): boolean =>
  ref.cases.every(({ orderId, delivered }) => delivered || orderId !== it.orderId);
const mayPay = (it: ReferenceCase, ref: Reference): boolean =>
  it.approval?.state !== "approved" || orderMayChange(it, ref);

function newCase(ref: Reference, orderId: string, id: string): ReferenceCase {
  const it = {
    id,
    orderId,
    status: null,
    delivered: false,
    approval: null,
    errorCode: null,
    busyUntilMs: -1,
    astray: false,
  };
  ref.cases.push(it);
  return it;
}

const question = (orderId: string): string => `Please refund ${orderId}.`;

export function ask(orderId: string): Step {
  return {
    check: (ref) => ref.cases.length < 4,
    async run(ref, { world, tally }) {
      const answer = await world.command("alice", "ask", question(orderId), "--language", "en");
      expect(answer).toMatchObject({ exit: 0, code: null });
      const it = newCase(ref, orderId, answer.caseId ?? "none");
      follow(ref, it, false);
      tally[`ask: ${it.status}`] = (tally[`ask: ${it.status}`] ?? 0) + 1;
      expectAgreement(readDisk(world.workspace), ref);
    },
    toString: () => `ask ${orderId}`,
  };
}

/** Somebody decides on the command line: `review`, `requote`, `withdraw`. */
export function decide(n: number, who: Person, verb: Verb, rightDigest: boolean): Step {
  const act = async (it: ReferenceCase, ref: Reference, world: World) => {
    const takesDigest = verb === "approve" || verb === "reject";
    const digest = rightDigest ? (readDisk(world.workspace).latest(it.id)?.digest ?? WRONG) : WRONG;
    const args = takesDigest ? ["review", it.id, "--digest", digest, `--${verb}`] : [verb, it.id];
    const { code } = await world.command(who, ...args);
    const refused = refusal(ref, it, who, verb, rightDigest || !takesDigest);
    if (refused === null) record(it, verb);
    const expected = refused ?? (isBusy(ref, it) ? "case_busy" : null);
    if (expected === null) follow(ref, it, false);
    else it.status = refused === null ? null : it.status;
    expectCode(code, expected ?? it.errorCode);
    return code;
  };
  return onCase(`${verb} by ${who}${rightDigest ? "" : " with a wrong digest"}`, n, act);
}

export function expectCode(code: string | null, expected: string | null | undefined): void {
  if (expected !== undefined) expect(code).toBe(expected);
}

/** A case that failed says that it needs `--retry`, and gets it. */
export async function resumed(world: World, who: "alice" | "chen", caseId: string): Promise<Answer> {
  const answer = await world.command(who, "resume", caseId);
  return answer.code === "retry_required" ? world.command(who, "resume", caseId, "--retry") : answer;
}

export function resume(n: number, who: "alice" | "chen"): Step {
  const act = async (it: ReferenceCase, ref: Reference, world: World) => {
    const { code } = await resumed(world, who, it.id);
    if (isBusy(ref, it)) {
      expect(code).toBe("case_busy");
      return code;
    }
    follow(ref, it, true);
    expectCode(code, it.errorCode);
    return code;
  };
  return onCase(`resume by ${who}`, n, act, mayPay);
}

/** A program answers the waiting question itself, or continues, or sends new input. */
export function throughGraph(n: number, who: "alice" | "chen", what: Verb | "continue" | "new question"): Step {
  const act = async (it: ReferenceCase, ref: Reference, world: World) => {
    const digest = readDisk(world.workspace).latest(it.id)?.digest ?? WRONG;
    const asked = await world.asProgram(who, (session) =>
      session.withCase(it.id, async () => {
        const { tasks } = await session.graph.getState(thread(it.id));
        const id = tasks.flatMap(({ interrupts }) => interrupts)[0]?.id;
        const answers = what !== "continue" && what !== "new question";
        if (answers && id === undefined) return false;
        const answer = { decision: what, digest, by: who };
        const input: GraphInput = answers
          ? new Command({ resume: { [id ?? ""]: answer } })
          : what === "continue"
            ? null
            : { question: "How long is the return window?", language: "en" as const };
        await session.graph.invoke(input, thread(it.id)).catch(() => undefined);
        return true;
      }),
    );
    if (what === "new question" && it.status === "queued") it.astray = true;
    if (!asked || what === "new question") return null;
    if (what === "continue") {
      if (it.status === "queued" && !it.astray) follow(ref, it, true);
      return it.errorCode ?? null;
    }
    const refused = refusal(ref, it, who, what, true);
    if (refused === null) record(it, what);
    follow(ref, it, false);
    return refused;
  };
  return onCase(
    `graph-${what} by ${who}`,
    n,
    act,
    (it, ref) => it.status !== null && !isBusy(ref, it) && mayPay(it, ref),
  );
}

/** Work on a case ends in trouble after so many statements. What it left must be a state on the way, and nothing else. */
export function trouble(
  n: number,
  how: Trouble,
  what: "ask" | "resume" | "requote",
  statements: number,
  orderId: string,
): Step {
  const work = (it: ReferenceCase) => async (session: Session, caller: Identity) => {
    const options = { caller, settle: what === "resume" };
    const id = CaseId.parse(it.id);
    if (what === "ask") return session.begin(id, { question: question(orderId), language: "en" }, options);
    if (what === "requote") {
      const { approval } = await session.read(it.id);
      await session.decide(id, { decision: "requote", digest: approval?.digest, by: "alice" }, caller);
    }
    await session.drive(id, options);
  };
  return {
    check: (ref) => {
      if (what === "ask") return ref.cases.length < 4;
      const it = pick(ref, n);
      const worthIt = what === "requote" || it?.approval?.state === "approved" || it?.delivered === false;
      return it !== undefined && worthIt && !isBusy(ref, it) && mayPay(it, ref);
    },
    async run(ref, { world, tally }) {
      const it = what === "ask" ? newCase(ref, orderId, world.newCaseId()) : pick(ref, n);
      if (it === undefined) return;
      await world.troubled("alice", how, statements, work(it));
      const disk = readDisk(world.workspace);
      ref.lose = world.commerce.loseReceipts;
      const label = `${how} ${what}: ${adopt(ref, it, what, disk)}`;
      tally[label] = (tally[label] ?? 0) + 1;
      expectAgreement(disk, ref);
    },
    toString: () => `${how} ${what} after ${statements} #${n} ${orderId}`,
  };
}

export function clock(ms: number): Step {
  return {
    check: () => true,
    async run(ref, { world }) {
      ref.nowMs += ms;
      world.setClock(ref.nowMs);
    },
    toString: () => `clock +${ms}`,
  };
}

export function loseReceipts(count: number): Step {
  return {
    check: () => true,
    async run(ref, { world }) {
      ref.lose = count;
      world.commerce.loseReceipts = count;
    },
    toString: () => `lose ${count}`,
  };
}

/** Somebody changes an order at the merchant, or writes into the approvals table. */
export function edit(n: number, what: "order version" | "approved" | "expires_at column"): Step {
  const act = async (it: ReferenceCase, ref: Reference, { workspace }: World) => {
    ref.tampered ||= what !== "order version";
    if (what === "order version") {
      workspace.tamper("commerce", "update orders set version = version + 1 where order_id = ?", it.orderId);
      const order = ref.orders[it.orderId];
      if (order !== undefined) order.version += 1;
    } else if (what === "approved") {
      workspace.tamper(
        "application",
        "update approvals set state = 'approved' where case_id = ? and state = 'pending'",
        it.id,
      );
      if (it.approval?.state === "pending") it.approval.state = "approved";
    } else
      workspace.tamper(
        "application",
        "update approvals set expires_at = '2099-01-01T00:00:00.000Z' where case_id = ?",
        it.id,
      );
    return what;
  };
  return onCase(`edit ${what}`, n, act, (it, ref) => what !== "order version" || orderMayChange(it, ref));
}
