import { expect, test } from "vitest";
import { z } from "zod";
import {
  approvalOf,
  approvalsOf,
  caseOf,
  codeOf,
  moneyOf,
  PAID_ONCE,
  review,
  run,
  UNPAID,
} from "../support/graph-case.js";
import { askForRefund } from "../support/refund-story.js";
import { createWorkspace, jsonOf } from "../support/workspace.js";

test("of an approval and a rejection at the same moment exactly one counts, and the case follows it", async () => {
  const workspace = createWorkspace();
  const { caseId, digest } = await askForRefund(workspace);
  const args = ["--json", "--profile", "chen", "review", caseId, "--digest", digest];
  const [approve, reject] = await Promise.all([
    workspace.cli([...args, "--approve"]),
    workspace.cli([...args, "--reject"]),
  ]);
  const { state, grant_jws } = approvalOf(workspace, caseId);
  const loser = state === "approved" ? reject : approve;
  expect(["approved", "rejected"]).toContain(state);
  expect([loser.code, codeOf(loser)]).toEqual([1, "already_decided"]);
  expect(grant_jws === null).toBe(state === "rejected");
  // The winner's decision stands whether or not both met on the lease; a resume takes the case to where it leads.
  const resumed = await run(workspace, "resume", caseId);
  expect(resumed.code).toBe(0);
  expect(caseOf(workspace, caseId).status).toBe(state === "approved" ? "completed" : "rejected");
  expect(moneyOf(workspace)).toEqual(state === "approved" ? PAID_ONCE : UNPAID);
});

test("of five requests for one order at the same moment one waits, and the others name it", async () => {
  const workspace = createWorkspace();
  const ask = ["--json", "ask", "Please refund QH-1001.", "--language", "en"];
  const runs = await Promise.all(Array.from({ length: 5 }, () => workspace.cli(ask)));
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0]);
  const views = runs.map((each) =>
    z
      .looseObject({
        caseId: z.string(),
        status: z.string(),
        liveProposal: z.strictObject({ caseId: z.string(), expiresAt: z.string() }).optional(),
        proposal: z.looseObject({ expiresAt: z.string() }).optional(),
      })
      .parse(jsonOf(each)),
  );
  const waiting = views.filter(({ status }) => status === "waiting_approval");
  const others = views.filter(({ status }) => status === "completed");
  expect([waiting.length, others.length]).toEqual([1, 4]);
  for (const { liveProposal, proposal } of others) {
    expect(proposal).toBeUndefined();
    expect(liveProposal).toEqual({ caseId: waiting[0]?.caseId, expiresAt: waiting[0]?.proposal?.expiresAt });
  }
  expect(workspace.query("application", "select count(*) as count from approvals")).toEqual([{ count: 1 }]);
});

test("three processes that execute one approval at the same moment pay it once", async () => {
  const workspace = createWorkspace();
  const waiting = await askForRefund(workspace);
  await review(workspace, waiting, "--approve");
  const resume = ["--json", "resume", waiting.caseId];
  const runs = await Promise.all(Array.from({ length: 3 }, () => workspace.cli(resume)));
  for (const each of runs) {
    if (each.code === 0) expect(jsonOf(each)).toMatchObject({ status: "completed", receipt: { amountCents: 12_900 } });
    else expect(codeOf(each)).toBe("case_busy");
  }
  expect(runs.some(({ code }) => code === 0)).toBe(true);
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  expect(approvalsOf(workspace, waiting.caseId)).toMatchObject([{ state: "settled" }]);
});
