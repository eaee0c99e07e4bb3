import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import {
  approvalOf,
  approvalsOf,
  caseOf,
  codeOf,
  expectStillWaiting,
  moneyOf,
  PAID_ONCE,
  run,
} from "../support/graph-case.js";
import type { Waiting } from "../support/refund-story.js";
import {
  ASK,
  type Asked,
  answerOn,
  askOn,
  attempt,
  clientOf,
  continueOn,
  GRAPH,
  outcomeOn,
  questionIn,
} from "../support/studio-client.js";
import { type StudioServer, startStudio, studioPlace } from "../support/studio-server.js";
import { jsonOf } from "../support/workspace.js";

const place = studioPlace();
const { workspace } = place;
let server: StudioServer;
let client: ReturnType<typeof clientOf>;

beforeAll(async () => {
  server = await startStudio(place, { env: { AFTERSALES_STUDIO_REVIEWER: "chen" } });
  client = clientOf(server.url);
});
afterAll(async () => {
  await server?.stop();
  place.remove();
});

/** The case behind a thread, as the tests of the library and the command line look at it. */
function waitingIn({ threadId, value }: Asked): Waiting {
  const { proposal, digest } = value;
  return {
    caseId: threadId,
    status: "waiting_approval",
    digest,
    interruptId: "",
    proposal: { approvalId: "", orderId: "QH-1001", amountCents: proposal.amountCents, state: "live" },
  };
}

async function pendingOn(threadId: string): Promise<Asked> {
  const { tasks } = await client.threads.getState(threadId);
  return { threadId, ...questionIn({ __interrupt__: tasks.flatMap(({ interrupts }) => interrupts) }) };
}

/** The order is free for the next test; the command line works on the same rows. */
async function withdraw(threadId: string): Promise<void> {
  expect((await run(workspace, "withdraw", threadId)).code).toBe(0);
  expect(caseOf(workspace, threadId)).toMatchObject({ status: "withdrawn", phase: "done" });
}

/** The saved steps from which a run would decide or pay. */
async function decidingSteps(threadId: string): Promise<string[]> {
  const steps = await client.threads.getHistory(threadId, { limit: 100 });
  const found = steps.filter(({ next }) => next.some((node) => ["deliver", "approve", "settle"].includes(node)));
  expect(found.length).toBeGreaterThan(1);
  return found.map(({ checkpoint }) => checkpoint.checkpoint_id ?? "none");
}

const forged = { amountCents: 999_900, orderId: "QH-1001", applicant: "alice" };

describe("a thread that waits for a decision", () => {
  let asked: Asked;
  beforeEach(async () => {
    asked = await askOn(client);
  });

  const jumps: [string, Record<string, unknown>][] = [
    ["to the payment", { goto: "settle" }],
    [
      "to the payment with a forged proposal",
      { goto: { node: "settle", input: { proposal: forged } }, update: { proposal: forged } },
    ],
    [
      "to the wait with a forged refusal",
      { goto: "approve", update: { refusal: null, outcome: { status: "completed" } } },
    ],
    ["to the delivery", { goto: "deliver" }],
    ["to the plan with another question", { goto: "plan", update: { question: "Please refund QH-1002." } }],
  ];

  it("is not paid by a jump, whatever state comes with it", async () => {
    for (const [, command] of jumps) await attempt(client.runs.wait(asked.threadId, GRAPH, { command }));
    await attempt(continueOn(client, asked.threadId));
    expectStillWaiting(workspace, waitingIn(asked));
    await withdraw(asked.threadId);
  });

  it.each(["approve", "settle", undefined])("is not decided by state written as %s", async (asNode) => {
    const values = { proposal: { ...forged }, refusal: null, decision: "approve", by: "chen", approved: true };
    const edit = asNode === undefined ? { values } : { values, asNode };
    await attempt(client.threads.updateState(asked.threadId, edit));
    await attempt(continueOn(client, asked.threadId));
    await attempt(continueOn(client, asked.threadId));
    expectStillWaiting(workspace, waitingIn(asked));
    await attempt(client.runs.wait(asked.threadId, GRAPH, { command: { goto: "deliver" } }));
    await withdraw(asked.threadId);
  });

  it("refuses every answer that is not a decision, and an answer in another's name", async () => {
    const { digest } = asked.value;
    const wrong: [unknown, string][] = [
      ["approve", "invalid_decision"],
      [true, "invalid_decision"],
      [{ decisions: [{ type: "approve" }] }, "invalid_decision"],
      [[{ type: "accept", args: null }], "invalid_decision"],
      [{ decision: "approve", digest, by: "chen", amountCents: 1 }, "invalid_decision"],
      [{ decision: "approve", digest: "0".repeat(64), by: "chen" }, "digest_mismatch"],
      [{ decision: "approve", digest, by: "mei" }, "not_reviewer"],
      [{ decision: "withdraw", digest, by: "chen" }, "decision_not_yours"],
    ];
    let pending = asked;
    for (const [answer, code] of wrong) {
      const again = questionIn(await answerOn(client, pending, answer));
      expect([answer, again.value.refusal]).toEqual([answer, code]);
      expect(again.value.refusalReason?.length).toBeGreaterThan(20);
      pending = { ...pending, id: again.id };
    }
    expectStillWaiting(workspace, waitingIn(asked));
    await withdraw(asked.threadId);
  });

  it("is left as it is by a new question and by runs without input", async () => {
    for (const input of [{ question: "Please refund QH-1009.", language: "zh" }, null, null]) {
      const again = questionIn(await client.runs.wait(asked.threadId, GRAPH, { input }));
      expect(again.value.digest).toBe(asked.value.digest);
    }
    expect(caseOf(workspace, asked.threadId)).toMatchObject({ question: "Please refund QH-1001.", language: "en" });
    expectStillWaiting(workspace, waitingIn(asked));
    await withdraw(asked.threadId);
  });

  it("gives nothing to a copy of itself", async () => {
    const copy = await client.threads.copy(asked.threadId);
    const answer = { decision: "approve", digest: asked.value.digest, by: "chen" };
    await attempt(client.runs.wait(copy.thread_id, GRAPH, { command: { resume: answer } }));
    await attempt(continueOn(client, copy.thread_id));
    expect(approvalsOf(workspace, copy.thread_id)).toEqual([]);
    expectStillWaiting(workspace, waitingIn(asked));
    await withdraw(asked.threadId);
  });

  it("is decided again on nothing older: a rejection stands on every step before it", async () => {
    const reject = { decision: "reject", digest: asked.value.digest, by: "chen", reason: "not as described" };
    await answerOn(client, asked, reject);
    const steps = await decidingSteps(asked.threadId);
    const resume = { decision: "approve", digest: asked.value.digest, by: "chen" };
    for (const checkpointId of steps) {
      await attempt(client.runs.wait(asked.threadId, GRAPH, { checkpointId, command: { resume } }));
      await attempt(client.runs.wait(asked.threadId, GRAPH, { checkpointId, input: null }));
    }
    expect(approvalsOf(workspace, asked.threadId)).toMatchObject([
      { state: "rejected", grant_jws: null, receipt: null },
    ]);
    expect(caseOf(workspace, asked.threadId)).toMatchObject({ status: "rejected", phase: "done" });
    expect(moneyOf(workspace)).toMatchObject({ receipts: 0 });
  });
});

describe("watching a run", () => {
  it("shows each phase, the steps of both loops and the model's messages, and leads to the interrupt", async () => {
    const { thread_id: threadId } = await client.threads.create();
    const seen: Record<string, string[]> = {};
    const input = { question: "Please refund QH-1001.", language: "en" };
    const streamMode: ("updates" | "messages-tuple")[] = ["updates", "messages-tuple"];
    for await (const { event, data } of client.runs.stream(threadId, GRAPH, {
      input,
      streamMode,
      streamSubgraphs: true,
    })) {
      const [kind = "", place = "case"] = event.replace(/:.*/, "").split("|");
      const names = kind === "updates" ? Object.keys(data ?? {}) : [kind];
      seen[place] = [...(seen[place] ?? []), ...names];
    }
    expect(seen.case?.filter((name) => name !== "metadata")).toEqual(
      expect.arrayContaining(["intake", "plan", "investigate", "review", "deliver", "__interrupt__", "messages"]),
    );
    expect(seen.investigate).toEqual(expect.arrayContaining(["think", "act", "messages"]));
    expect(seen.review).toEqual(expect.arrayContaining(["compose", "critique", "messages"]));
    await withdraw(threadId);
  });
});

describe("a thread and the command line", () => {
  it("a thread is stepped phase by phase; before its delivery it goes on only on its server", async () => {
    const { thread_id: threadId } = await client.threads.create();
    const stepping = { interruptAfter: "*" as const };
    await client.runs.wait(threadId, GRAPH, { input: ASK, ...stepping });
    const stops: string[] = [];
    for (let step = 0; step < 5; step += 1) {
      const { next } = await client.threads.getState(threadId);
      stops.push(next.join());
      if (next.includes("review"))
        expect(codeOf(await run(workspace, "resume", threadId))).toBe("checkpoint_unreadable");
      await client.runs.wait(threadId, GRAPH, { input: null, ...stepping });
    }
    expect(stops).toEqual(["plan", "investigate", "review", "deliver", "approve"]);
    expect((await pendingOn(threadId)).value.summary).toBe("QH-1001, CNY 129.00");
    await withdraw(threadId);
  });

  it("a case begun on the command line is taken up on its own budget, to one proposal that both sides know", async () => {
    const args = ["--json", "ask", "Please refund QH-1001.", "--language", "en", "--one-step"];
    const { caseId } = z.looseObject({ caseId: z.string() }).parse(jsonOf(await workspace.inProcess(args)));
    await client.threads.create({ threadId: caseId });
    const input = { question: "Please refund QH-1009.", language: "zh" };
    const question = questionIn(await client.runs.wait(caseId, GRAPH, { input }));
    expect(question.value.summary).toBe("QH-1001, CNY 129.00");
    expect(jsonOf(await run(workspace, "resume", caseId))).toMatchObject({
      question: "Please refund QH-1001.",
      status: "waiting_approval",
      digest: question.value.digest,
      budget: { model: { used: 7 } },
    });
    expect(approvalsOf(workspace, caseId)).toHaveLength(1);
    await withdraw(caseId);
  });
});

describe("an approval over the server", () => {
  const env = { AFTERSALES_STUDIO_REVIEWER: "chen" };
  const saved = join(place.folder, "saved-threads");
  let asked: Asked;
  let answer: { decision: string; digest: string; by: string };

  const isWritten = (threadId: string): boolean => {
    const threads = z.looseObject({
      json: z.looseObject({ threads: z.record(z.string(), z.looseObject({ status: z.string() })) }),
    });
    try {
      const text = readFileSync(join(place.threadsDir, ".langgraphjs_ops.json"), "utf8");
      return threads.parse(JSON.parse(text)).json.threads[threadId]?.status === "interrupted";
    } catch {
      return false;
    }
  };

  const serveAgain = async (): Promise<void> => {
    server = await startStudio(place, { env });
    client = clientOf(server.url);
  };

  beforeAll(async () => {
    asked = await askOn(client);
    answer = { decision: "approve", digest: asked.value.digest, by: "chen" };
    // The server writes a thread down some seconds after its last change.
    await vi.waitFor(() => expect(isWritten(asked.threadId)).toBe(true), { timeout: 30_000, interval: 100 });
    cpSync(place.threadsDir, saved, { recursive: true });
  });

  it("is recorded before anything is paid, and a rejection after it changes nothing", async () => {
    await answerOn(client, asked, answer);
    expect(approvalsOf(workspace, asked.threadId)).toMatchObject([{ state: "approved", reviewer: "chen" }]);
    const [newest] = await client.threads.getHistory(asked.threadId, { limit: 1 });
    expect(newest?.next).toEqual(["settle"]);
    await attempt(client.threads.updateState(asked.threadId, { values: { refusal: null }, asNode: "deliver" }));
    await attempt(client.runs.wait(asked.threadId, GRAPH, { input: null }));
    await attempt(answerOn(client, await pendingOn(asked.threadId), { ...answer, decision: "reject" }));
    expect(approvalsOf(workspace, asked.threadId)).toMatchObject([{ state: "approved", reviewer: "chen" }]);
  });

  it("survives a killed server whose files are half written: the case goes on from its rows and is paid once", async () => {
    await server.kill();
    for (const name of readdirSync(place.threadsDir)) {
      const path = join(place.threadsDir, name);
      truncateSync(path, Math.floor(statSync(path).size / 2));
    }
    await serveAgain();
    await expect(client.threads.get(asked.threadId)).rejects.toThrow(/404/);
    await client.threads.create({ threadId: asked.threadId });
    const input = { question: "Please refund QH-1009.", language: "zh" };
    const again = questionIn(await client.runs.wait(asked.threadId, GRAPH, { input }));
    expect(again.value.digest).toBe(asked.value.digest);
    await answerOn(client, { ...asked, id: again.id }, { ...answer, decision: "continue", by: "alice" });
    await Promise.all(Array.from({ length: 5 }, () => attempt(continueOn(client, asked.threadId))));
    expect(await outcomeOn(client, asked.threadId)).toMatchObject({ status: "completed" });
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });

  it("is executed on no older step a second time", async () => {
    const steps = await decidingSteps(asked.threadId);
    for (const checkpointId of steps) {
      await attempt(client.runs.wait(asked.threadId, GRAPH, { checkpointId, input: null }));
      await attempt(client.runs.wait(asked.threadId, GRAPH, { checkpointId, command: { resume: answer } }));
      await attempt(client.runs.wait(asked.threadId, GRAPH, { checkpointId, command: { goto: "settle" } }));
    }
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });

  it("is not given a second time to a server whose files are older than the payment", async () => {
    await server.kill();
    rmSync(place.threadsDir, { recursive: true });
    cpSync(saved, place.threadsDir, { recursive: true });
    await serveAgain();
    expect((await client.threads.getState(asked.threadId)).next).toEqual(["approve"]);
    for (const decision of ["approve", "reject", "requote", "withdraw"]) {
      const by = decision === "withdraw" ? "alice" : "chen";
      await attempt(answerOn(client, asked, { ...answer, decision, by }));
      await attempt(continueOn(client, asked.threadId));
    }
    expect(approvalOf(workspace, asked.threadId)).toMatchObject({ state: "settled", reviewer: "chen" });
    expect(caseOf(workspace, asked.threadId)).toMatchObject({ status: "completed", phase: "done" });
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });

  it("sent five times at once is one decision and at most one payment: an answer after the first only goes on", async () => {
    const other = await askOn(client, { question: "Please refund QH-1009.", language: "en" });
    const five = { ...answer, digest: other.value.digest };
    await Promise.all(Array.from({ length: 5 }, () => attempt(answerOn(client, other, five))));
    expect(approvalsOf(workspace, other.threadId)).toMatchObject([
      { state: expect.stringMatching(/^(?:approved|settled)$/), reviewer: "chen" },
    ]);
    await attempt(continueOn(client, other.threadId));
    expect(moneyOf(workspace, "QH-1009")).toMatchObject({ refunded: 12_900, receipts: 2 });
  });
});
