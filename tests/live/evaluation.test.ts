import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { countTrials } from "../../src/cli/repeated-trials.js";
import { LIVE_KEY, liveSettings, stepOf } from "../support/live-endpoint.js";
import { completion, type Reply, startModelServer, toolCalls, type WireRequest } from "../support/model-server.js";
import { createWorkspace, jsonOf, type Workspace } from "../support/workspace.js";

const CASES = ["within-window", "outside-window", "shipment", "invoice", "warranty", "unknown", "other-customer"];
const json = (value: unknown): Reply => completion({ content: JSON.stringify(value) });

/** Answers the refund case in full, knows nothing in the others, and breaks down when asked about the warranty. */
function reviewScript(request: WireRequest): Reply {
  const data = String(request.body.messages[1]?.content);
  if (data.includes("QH-1012")) return { status: 503, json: { error: { message: LIVE_KEY } } };
  const [orderId = null] = /QH-\d{4}/.exec(data) ?? [];
  const knows = orderId === "QH-1001";
  const step = stepOf(request);
  if (step === "plan")
    return json({ intent: "policy", order_id: orderId, action_requested: false, queries: [], milestones: [] });
  if (step === "critique") return json({ verdict: "pass", feedback: "" });
  if (step === "compose" && knows)
    return json({
      answer: "这个订单可以退 CNY 129.00，需要人工审核后才会办理，目前没有付款。",
      citations: ["RETURNS:p02:zh:0", "RETURNS:p03:zh:0", "calculate_refund:QH-1001"],
      next_action: "answer",
    });
  if (step === "compose")
    return json({
      answer: "现有的条款和记录没有涉及这个问题，请联系人工客服。",
      citations: [],
      next_action: "needs_input",
    });
  if (!knows || request.body.messages.some(({ role }) => role === "tool")) return completion({ content: "完成。" });
  return toolCalls({ id: "c1", name: "calculate_refund", args: { order_id: "QH-1001" } });
}

const Line = z.looseObject({
  case: z.string(),
  trial: z.number(),
  status: z.string(),
  citations: z.array(z.string()),
  observations: z.record(z.string(), z.boolean()),
  human_review: z.literal("PENDING"),
  review_focus: z.string().min(10),
  run_id: z.uuid(),
  program_version: z.string(),
  data_hash: z.string().length(64),
  prompt_versions: z.array(z.string()).length(4),
  model: z.literal("deepseek-chat"),
  budget: z.looseObject({ model: z.looseObject({ used: z.number() }) }),
  error: z.looseObject({ code: z.string() }).nullable(),
  answer: z.string().nullable(),
});

const linesOf = (file: string): z.infer<typeof Line>[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => Line.parse(JSON.parse(line)));

const LIVE = ["--model", "live", "eval", "live"];
const outputIn = ({ stateDir }: Workspace): string => join(stateDir, "answers.jsonl");

test("without --run-live it shows cases, model, endpoint and number of requests, and sends nothing", async () => {
  const server = await startModelServer();
  const workspace = createWorkspace();
  const output = outputIn(workspace);
  const args = ["--json", ...LIVE, "--trials", "3", "--output", output];
  const run = await workspace.cli(args, { env: liveSettings(server.url) });
  expect(run.code).toBe(0);
  expect(jsonOf(run)).toMatchObject({
    sent: false,
    model: "deepseek-chat",
    endpoint: new URL(server.url).host,
    trials: 3,
    requestsAtMost: 420,
    cases: CASES.map((name) => ({ case: name })),
  });
  expect([server.requests, existsSync(output)]).toEqual([[], false]);
  const text = await workspace.cli(LIVE);
  expect(text.code).toBe(0);
  expect(text.stdout).toContain("Nothing was sent.");
  expect(text.stdout).toContain("not configured");
});

test("each case gets one line for a human to review, also after one has failed; the exit code tells", async () => {
  const server = await startModelServer();
  server.answer(reviewScript);
  const workspace = createWorkspace();
  const file = outputIn(workspace);
  const run = await workspace.cli([...LIVE, "--run-live", "--output", file], { env: liveSettings(server.url) });
  const lines = linesOf(file);
  expect(lines.map((line) => line.case)).toEqual(CASES);
  expect(lines[0]).toMatchObject({
    status: "completed",
    citations: ["RETURNS:p02:zh:0", "RETURNS:p03:zh:0", "calculate_refund:QH-1001"],
    budget: { model: { used: 5, limit: 20 }, tools: { used: 1, limit: 24 } },
    error: null,
  });
  expect(Object.values(lines[0]?.observations ?? {}).every(Boolean)).toBe(true);
  expect(lines[4]).toMatchObject({
    status: "failed",
    error: { code: "model_unavailable" },
    answer: null,
    observations: { has_an_answer: false, no_write_proposal: true },
  });
  expect(lines[6]).toMatchObject({ status: "needs_input", observations: { read_nothing_of_it: true } });
  expect(lines.reduce((sum, { budget }) => sum + budget.model.used, 0)).toBe(server.requests.length);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain("1 of 7 runs did not reach an answer");
  expect(run.stderr).toContain("(evaluation_incomplete)");
  expect(run.stdout).toContain("human_review is PENDING");
  expect(run.stdout + run.stderr + readFileSync(file, "utf8")).not.toContain(LIVE_KEY);
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(workspace.query("application", "select count(*) n from cases")).toEqual([{ n: 0 }]);
});

test("results that are already there are not overwritten, and nothing is sent for them", async () => {
  const server = await startModelServer();
  const workspace = createWorkspace();
  const file = outputIn(workspace);
  writeFileSync(file, "earlier results\n");
  const args = ["--json", ...LIVE, "--run-live", "--output", file];
  const run = await workspace.cli(args, { env: liveSettings(server.url) });
  expect(run.code).toBe(1);
  expect(jsonOf(run)).toMatchObject({ error: { code: "output_exists" } });
  expect([readFileSync(file, "utf8"), server.requests]).toEqual(["earlier results\n", []]);
});

test("--run-live needs a file and a live model, and makes no file when it cannot run", async () => {
  const workspace = createWorkspace();
  const file = outputIn(workspace);
  expect((await workspace.cli([...LIVE, "--run-live"])).code).toBe(2);
  expect((await workspace.cli(["eval", "live", "--run-live", "--output", file])).code).toBe(2);
  expect((await workspace.cli([...LIVE, "--trials", "0"])).code).toBe(2);
  const run = await workspace.cli(["--json", ...LIVE, "--run-live", "--output", file]);
  expect(jsonOf(run)).toMatchObject({ error: { code: "model_not_configured" } });
  expect(existsSync(file)).toBe(false);
});

test("--trials asks each case again and reports in how many cases every trial passed", async () => {
  const server = await startModelServer();
  const asked = new Map<string, number>();
  server.answer((request) => {
    const data = String(request.body.messages[1]?.content);
    if (stepOf(request) !== "plan" || !data.includes("QH-1001")) return reviewScript(request);
    asked.set("QH-1001", (asked.get("QH-1001") ?? 0) + 1);
    return asked.get("QH-1001") === 2 ? completion({ content: "" }) : reviewScript(request);
  });
  const workspace = createWorkspace();
  const file = outputIn(workspace);
  const args = ["--json", ...LIVE, "--run-live", "--output", file, "--trials", "2"];
  const run = await workspace.cli(args, { env: liveSettings(server.url) });
  expect(linesOf(file).map((line) => `${line.case} ${line.trial}`)).toEqual(
    CASES.flatMap((name) => [`${name} 1`, `${name} 2`]),
  );
  const report = z
    .looseObject({
      lines: z.literal(14),
      passPowerK: z.number(),
      cases: z.array(z.looseObject({ case: z.string(), passed: z.number(), passAllTrials: z.boolean() })),
    })
    .parse(jsonOf(run));
  expect(report.cases[0]).toMatchObject({ case: "within-window", passed: 1, trials: 2, passAllTrials: false });
  expect(report.cases.find((entry) => entry.case === "other-customer")).toMatchObject({
    passed: 2,
    passAllTrials: true,
  });
  expect(report.passPowerK).toBeCloseTo(2 / 7);
});

test("pass^k counts a case only if every trial passed; an error or a missing trial is no pass", () => {
  const good = { observations: { a: true, b: true } };
  const results = [
    { caseId: "x", ...good },
    { caseId: "x", ...good },
    { caseId: "y", ...good },
    { caseId: "y", observations: { a: true, b: false } },
    { caseId: "z", ...good },
    { caseId: "w", ...good },
    { caseId: "w", observations: null },
  ];
  expect(countTrials(results, 2)).toEqual({
    trials: 2,
    passPowerK: 0.25,
    cases: [
      { case: "x", passed: 2, trials: 2, passAllTrials: true, missed: [] },
      { case: "y", passed: 1, trials: 2, passAllTrials: false, missed: ["b"] },
      { case: "z", passed: 1, trials: 1, passAllTrials: false, missed: [] },
      { case: "w", passed: 1, trials: 2, passAllTrials: false, missed: ["error"] },
    ],
  });
});
