import { randomUUID } from "node:crypto";
import { Command } from "@langchain/langgraph";
import { beforeAll, describe, expect, test } from "vitest";
import {
  answerWith,
  approvalOf,
  caseOf,
  codeOf,
  expectStillWaiting,
  invoke,
  moneyOf,
  openAs,
  PAID_ONCE,
  pendingIds,
  recordOf,
  review,
  run,
  sharedWorkspace,
  threadOf,
  UNPAID,
  waitingOf,
} from "../support/graph-case.js";
import { askForRefund, type Waiting } from "../support/refund-story.js";
import { createWorkspace, jsonOf } from "../support/workspace.js";

const WRONG_DIGEST = "0".repeat(64);

describe("a decision given on the command line by somebody who may not, in a process of its own", () => {
  const workspace = sharedWorkspace();
  let waiting: Waiting;
  beforeAll(async () => {
    waiting = await askForRefund(workspace);
  });

  test.each([
    ["a wrong digest", { digest: WRONG_DIGEST }, "digest_mismatch"],
    ["a malformed digest", { digest: "approve" }, "invalid_decision"],
    ["the applicant", { profile: "alice" }, "not_reviewer"],
    ["another customer", { profile: "bob" }, "case_not_accessible"],
    ["another merchant's reviewer", { profile: "mei" }, "case_not_accessible"],
    ["a case that does not exist", { caseId: randomUUID() }, "case_not_accessible"],
    ["a case id that is none", { caseId: "../case" }, "case_not_accessible"],
  ])("%s is refused and the case waits as before", async (_who, changed, code) => {
    const { profile, caseId, digest } = { profile: "chen", ...waiting, ...changed };
    const refused = await workspace.cli([
      ...["--json", "--profile", profile],
      ...["review", caseId, "--digest", digest, "--approve"],
    ]);
    expect(refused.code).toBe(1);
    expect(jsonOf(refused)).toEqual({ error: expect.objectContaining({ code }) });
    expectStillWaiting(workspace, waiting);
  });

  test.each(["chen", "bob"])("%s cannot withdraw it", async (profile) => {
    const refused = await run(workspace, "withdraw", waiting.caseId, { profile });
    expect(codeOf(refused)).toBe(profile === "chen" ? "decision_not_yours" : "case_not_accessible");
    expectStillWaiting(workspace, waiting);
  });

  test("a resume decides nothing, whoever runs it", async () => {
    for (const profile of ["alice", "chen"]) {
      expect(waitingOf(await run(workspace, "resume", waiting.caseId, { profile })).digest).toBe(waiting.digest);
      expectStillWaiting(workspace, waiting);
    }
  });

  test("afterwards the reviewer's decision counts as if nothing had been tried", async () => {
    expect((await review(workspace, waiting, "--approve")).code).toBe(0);
    expect((await run(workspace, "resume", waiting.caseId)).code).toBe(0);
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });
});

describe("an answer that a program sends to the waiting question", () => {
  const workspace = sharedWorkspace();
  let waiting: Waiting;
  beforeAll(async () => {
    waiting = await askForRefund(workspace);
  });

  const good = () => ({ decision: "approve", digest: waiting.digest, by: "chen" });
  const sent: [string, () => unknown, string][] = [
    ["a bare word", () => "approve", "invalid_decision"],
    ["true", () => true, "invalid_decision"],
    ["false", () => false, "invalid_decision"],
    ["zero", () => 0, "invalid_decision"],
    ["an empty text", () => "", "invalid_decision"],
    ["an empty object", () => ({}), "invalid_decision"],
    ["an empty list", () => [], "invalid_decision"],
    ["a list around a good answer", () => [good()], "invalid_decision"],
    ["a good answer as text", () => JSON.stringify(good()), "invalid_decision"],
    ["the keys of another product", () => ({ type: "accept", args: null }), "invalid_decision"],
    ["no decider", () => ({ decision: "approve", digest: waiting.digest }), "invalid_decision"],
    ["no digest", () => ({ decision: "approve", by: "chen" }), "invalid_decision"],
    ["one key more", () => ({ ...good(), amountCents: 999_900 }), "invalid_decision"],
    ["another word for approve", () => ({ ...good(), decision: "accept" }), "invalid_decision"],
    ["a reason without end", () => ({ ...good(), reason: "x".repeat(501) }), "invalid_decision"],
    ["the name of another merchant's reviewer", () => ({ ...good(), by: "mei" }), "decision_not_yours"],
    ["the applicant's name", () => ({ ...good(), by: "alice" }), "decision_not_yours"],
    ["another digest", () => ({ ...good(), digest: WRONG_DIGEST }), "digest_mismatch"],
    ["a withdrawal by the reviewer", () => ({ ...good(), decision: "withdraw" }), "decision_not_yours"],
  ];

  test.each(sent)("%s is refused by name and the question is asked again", async (_what, value, code) => {
    const chen = await openAs(workspace, "chen");
    await answerWith(chen, waiting.caseId, value());
    const { values } = await chen.graph.getState(threadOf(waiting.caseId));
    expect(values).toMatchObject({ refusal: code, proposal: { digest: waiting.digest } });
    expect(await pendingIds(chen, waiting.caseId)).toHaveLength(1);
    expectStillWaiting(workspace, waiting);
  });

  test.each([
    ["alice", "not_reviewer"],
    ["bob", "case_not_accessible"],
    ["mei", "case_not_accessible"],
  ])("the reviewer's signature under %s's hand is refused", async (profile, code) => {
    const handle = await openAs(workspace, profile);
    const outcome = await answerWith(handle, waiting.caseId, good()).then(
      () => handle.graph.getState(threadOf(waiting.caseId)).then(({ values }) => String(values.refusal)),
      (error: unknown) => (error instanceof Error && "code" in error ? error.code : error),
    );
    expect(outcome).toBe(code);
    expectStillWaiting(workspace, waiting);
  });

  test("an answer to a question that is no longer asked is not taken", async () => {
    const chen = await openAs(workspace, "chen");
    const before = await pendingIds(chen, waiting.caseId);
    expect(before).not.toContain(waiting.interruptId);
    for (const id of [waiting.interruptId, "f".repeat(32)]) {
      const sending = invoke(chen, waiting.caseId, new Command({ resume: { [id]: good() } }));
      await expect(sending).rejects.toThrow(/Unknown or already-consumed interrupt/);
    }
    expect(await pendingIds(chen, waiting.caseId)).toEqual(before);
    expectStillWaiting(workspace, waiting);
  });

  test("continuing decides nothing", async () => {
    const chen = await openAs(workspace, "chen");
    await answerWith(chen, waiting.caseId, { ...good(), decision: "continue" });
    expectStillWaiting(workspace, waiting);
  });

  test("after all of these the right answer is recorded, and only a further run executes it", async () => {
    const chen = await openAs(workspace, "chen");
    await answerWith(chen, waiting.caseId, good());
    expect(approvalOf(workspace, waiting.caseId)).toMatchObject({ state: "approved", reviewer: "chen" });
    expect(moneyOf(workspace)).toEqual(UNPAID);
    await invoke(chen, waiting.caseId, null);
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
    expect(caseOf(workspace, waiting.caseId)).toMatchObject({ status: "completed", phase: "done" });
  });
});

describe("an approval, from process to process", () => {
  test("is recorded by one, executed once by another, and repeating either changes nothing", async () => {
    const workspace = createWorkspace();
    const asked = await workspace.cli(["--json", "ask", "Please refund QH-1001.", "--language", "en"]);
    const { caseId, digest } = waitingOf(asked);
    const approve = ["--json", "--profile", "chen", "review", caseId, "--digest", digest, "--approve"];
    const approved = await workspace.cli(approve);
    expect(approved.code).toBe(0);
    expect(jsonOf(approved)).toMatchObject({ status: "queued", phase: "settle", decision: { reviewer: "chen" } });
    expect(moneyOf(workspace)).toEqual(UNPAID);

    const resumed = await workspace.cli(["--json", "resume", caseId]);
    expect(resumed.code).toBe(0);
    const { receipt } = jsonOf(resumed);
    expect(receipt).toMatchObject({
      digest,
      orderId: "QH-1001",
      amountCents: 12_900,
      currency: "CNY",
      simulated: true,
    });
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
    expect(recordOf(workspace, caseId)).toMatchObject({ status: "completed", decision: { reviewer: "chen" }, receipt });
    const settled = workspace.query("application", "select * from approvals");

    const again = await workspace.cli(["--json", "resume", caseId]);
    expect(again.code).toBe(0);
    expect(jsonOf(again)).toMatchObject({ status: "completed", receipt });
    const twice = await workspace.cli(approve);
    expect([twice.code, codeOf(twice)]).toEqual([1, "already_decided"]);
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
    expect(workspace.query("application", "select * from approvals")).toEqual(settled);
  });

  test.each([
    ["a rejection", "rejected", { decision: "reject", reviewer: "chen" }],
    ["a withdrawal", "withdrawn", { decision: "withdraw", reviewer: null }],
  ])("%s ends the case without a payment, and the record says so", async (_what, status, decision) => {
    const workspace = createWorkspace();
    const waiting = await askForRefund(workspace);
    const ended =
      status === "rejected"
        ? await review(workspace, waiting, "--reject")
        : await run(workspace, "withdraw", waiting.caseId);
    expect([ended.code, jsonOf(ended).status]).toEqual([0, status]);
    expect(moneyOf(workspace)).toEqual(UNPAID);
    expect(approvalOf(workspace, waiting.caseId)).toMatchObject({ state: status, grant_jws: null });
    expect(recordOf(workspace, waiting.caseId)).toMatchObject({ status, decision, proposal: { applicant: "alice" } });
    const alice = await openAs(workspace, "alice");
    const { values, next } = await alice.graph.getState(threadOf(waiting.caseId));
    expect([values.proposal, next]).toEqual([null, []]);

    await run(workspace, "resume", waiting.caseId);
    expect(codeOf(await review(workspace, waiting, "--approve"))).toBe("already_decided");
    expect(moneyOf(workspace)).toEqual(UNPAID);
  });

  test("the order is free again after a rejection", async () => {
    const workspace = createWorkspace();
    await review(workspace, await askForRefund(workspace), "--reject");
    const second = await askForRefund(workspace);
    await review(workspace, second, "--approve");
    await run(workspace, "resume", second.caseId);
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });
});

test("what breaks between two steps leaves its masked cause in the log of a case that still waits", async () => {
  const workspace = createWorkspace();
  const waiting = await askForRefund(workspace);
  const handle = await openAs(workspace, "alice");
  const broken = handle.withCase(waiting.caseId, () =>
    Promise.reject(new TypeError("no step left, token=abcdefgh12345")),
  );
  await expect(broken).rejects.toThrow("no step left");
  const sql = "select phase, status, code, cause from events where case_id = ? order by number desc limit 1";
  expect(workspace.query("application", sql, waiting.caseId)).toEqual([
    { phase: "approve", status: "failed", code: "internal_error", cause: "no step left, token=[masked]" },
  ]);
  expectStillWaiting(workspace, waiting);
});
