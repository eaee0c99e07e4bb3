import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { askForRefund } from "../support/refund-story.js";
import { createWorkspace, jsonOf, type Run, workspaceAt } from "../support/workspace.js";

const refusalOf = (run: Run) =>
  z
    .strictObject({ error: z.looseObject({ code: z.string(), category: z.string(), message: z.string() }) })
    .parse(jsonOf(run)).error;

describe("a command that is refused", () => {
  it.each([
    ["a blank question", ["ask", "   "], "invalid_question"],
    ["a question of 1,801 characters", ["ask", "x".repeat(1801)], "invalid_question"],
    ["an unknown language", ["ask", "Refund QH-1001.", "--language", "fr"], "invalid_language"],
    ["an unknown profile", ["--profile", "mallory", "ask", "Refund QH-1001."], "unknown_profile"],
    ["a reviewer who asks", ["--profile", "chen", "ask", "Refund QH-1001."], "customer_role_required"],
    ["an unknown case", ["resume", "00000000-0000-4000-8000-000000000000"], "case_not_accessible"],
    ["a case id that is none", ["inspect", "../../etc/passwd"], "case_not_accessible"],
    ["a live model that is not configured", ["--model", "live", "ask", "Refund QH-1001."], "model_not_configured"],
    ["a customer who looks at the review", ["review-info", "00000000-0000-4000-8000-000000000000"], "not_reviewer"],
  ])(
    "%s ends with exit code 1, one JSON object, one sentence with its code, and no case",
    async (_name, args, code) => {
      const workspace = createWorkspace();
      const run = await workspace.inProcess(["--json", ...args]);
      expect(run.code).toBe(1);
      expect(refusalOf(run).code).toBe(code);
      expect(run.stderr.trim().split("\n")).toHaveLength(1);
      expect(run.stderr).toContain(`(${code})`);
      expect(run.stderr).not.toMatch(/\bat .*\.(ts|mjs|js):\d/);
      expect(workspace.query("application", "select count(*) as cases from cases")).toEqual([{ cases: 0 }]);
    },
  );

  it.each([
    ["no command", []],
    ["an unknown command", ["refund"]],
    ["an unknown option", ["cases", "--all"]],
    ["a missing argument", ["ask"]],
    ["one argument too many", ["inspect", "a", "b"]],
    ["an unknown model", ["--model", "oracle", "cases"]],
    ["a review without a digest", ["review", "x", "--approve"]],
    ["a review without a decision", ["review", "x", "--digest", "d"]],
    ["a review with both decisions", ["review", "x", "--digest", "d", "--approve", "--reject"]],
    ["an unknown status", ["cases", "--status", "lost"]],
  ])("%s is a usage error: exit code 2", async (_name, args) => {
    const run = await createWorkspace().inProcess(["--json", ...args]);
    expect(run.code).toBe(2);
    expect(refusalOf(run).code).toBe("usage");
  });

  it("a state directory that does not exist is named and not created", async () => {
    const stateDir = join(tmpdir(), `aftersales-absent-${process.pid}`);
    const run = await workspaceAt(stateDir).inProcess(["--json", "cases"]);
    expect(run.code).toBe(1);
    expect(refusalOf(run).code).toBe("state_missing");
    expect(existsSync(stateDir)).toBe(false);
  });
});

describe("options", () => {
  it("stand before or after the command, and a double dash ends them", async () => {
    const workspace = createWorkspace();
    const before = await workspace.inProcess(["--json", "--profile", "chen", "cases"]);
    const after = await workspace.inProcess(["cases", "--json", "--profile", "chen"]);
    expect(after).toEqual(before);
    const dashed = await workspace.inProcess(["--json", "ask", "--language", "en", "--", "--profile chen"]);
    expect(jsonOf(dashed)).toMatchObject({ question: "--profile chen" });
  });
});

describe("init", () => {
  it("fills what is missing and replaces no case, refund or key", async () => {
    const stateDir = mkdtempSync(join(tmpdir(), "aftersales-init-"));
    onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
    const workspace = workspaceAt(stateDir);
    expect((await workspace.inProcess(["init"])).code).toBe(0);
    const waiting = await askForRefund(workspace);
    workspace.tamper("commerce", "update orders set refunded_cents = 100 where order_id = 'QH-1002'");
    const keys = readdirSync(join(stateDir, "host", "keys"));
    const again = await workspace.inProcess(["--json", "init"]);
    expect(again.code).toBe(0);
    expect(readdirSync(join(stateDir, "host", "keys"))).toEqual(keys);
    expect(
      workspace.query("commerce", "select refunded_cents as cents from orders where order_id = 'QH-1002'"),
    ).toEqual([{ cents: 100 }]);
    const shown = await workspace.inProcess(["--json", "inspect", waiting.caseId]);
    expect(jsonOf(shown)).toMatchObject({ status: "waiting_approval", digest: waiting.digest });
  });
});

describe("what a reviewer sees", () => {
  it("holds question, answer, cited passages, quote and time left; other tenants and other customers see nothing", async () => {
    const workspace = createWorkspace();
    const { caseId } = await askForRefund(workspace);
    for (const command of ["review-info", "inspect"]) {
      const view = jsonOf(await workspace.inProcess(["--json", "--profile", "chen", command, caseId]));
      const parsed = z
        .looseObject({
          question: z.string(),
          answer: z.looseObject({ citations: z.array(z.string()) }),
          quote: z.looseObject({ amountCents: z.literal(12900) }),
          proposal: z.looseObject({ state: z.literal("live"), expiresAt: z.string() }),
          evidence: z.looseObject({ passages: z.array(z.looseObject({ id: z.string(), body: z.string() })).min(2) }),
        })
        .parse(view);
      const shown = parsed.evidence.passages.map(({ id }) => id);
      expect(parsed.answer.citations).toEqual(expect.arrayContaining(shown));
    }
    const text = await workspace.inProcess(["--profile", "chen", "review-info", caseId]);
    expect(text.stdout).toMatch(/Time left: 1[45]:\d\d minutes/);
    for (const [profile, command] of [
      ["mei", "review-info"],
      ["mei", "inspect"],
      ["bob", "inspect"],
      ["lin", "inspect"],
    ] as const) {
      const run = await workspace.inProcess(["--json", "--profile", profile, command, caseId]);
      expect([run.code, refusalOf(run).code]).toEqual([1, "case_not_accessible"]);
    }
  });

  it("cases lists a customer's own cases and a reviewer's merchant's, by status", async () => {
    const workspace = createWorkspace();
    const alice = await askForRefund(workspace);
    const bob = await askForRefund(workspace, "QH-2001", { profile: "bob" });
    const listed = async (...args: string[]) =>
      z
        .object({ cases: z.array(z.looseObject({ caseId: z.string() })) })
        .parse(jsonOf(await workspace.inProcess(["--json", "cases", ...args])))
        .cases.map(({ caseId }) => caseId);
    expect(await listed()).toEqual([alice.caseId]);
    expect(await listed("--profile", "bob")).toEqual([bob.caseId]);
    expect((await listed("--profile", "chen")).sort()).toEqual([alice.caseId, bob.caseId].sort());
    expect(await listed("--profile", "mei")).toEqual([]);
    expect(await listed("--status", "completed")).toEqual([]);
  });
});

describe("one step at a time", () => {
  it("a case goes on from where the last step ended, in another process", async () => {
    const workspace = createWorkspace();
    const first = jsonOf(
      await workspace.cli(["--json", "ask", "Please refund QH-1001.", "--language", "en", "--one-step"]),
    );
    const caseId = z.string().parse(first.caseId);
    expect(first).toMatchObject({ status: "queued", phase: "plan", budget: { model: { used: 1 } } });
    const phases: unknown[] = [];
    for (let step = 0; step < 4 && phases.at(-1) !== "approve"; step += 1) {
      phases.push(jsonOf(await workspace.cli(["--json", "resume", caseId, "--one-step"])).phase);
    }
    expect(phases).toEqual(["investigate", "review", "approve"]);
    const shown = jsonOf(await workspace.inProcess(["--json", "inspect", caseId]));
    expect(shown).toMatchObject({ status: "waiting_approval", proposal: { amountCents: 12900 } });
  });
});

describe("what the commands print about the product itself", () => {
  it("mcp-tools lists the eight tools of the running process", async () => {
    const run = await createWorkspace().inProcess(["--json", "mcp-tools"]);
    const { tools } = z
      .object({ tools: z.array(z.looseObject({ name: z.string(), readOnly: z.boolean() })) })
      .parse(jsonOf(run));
    expect(tools.filter(({ readOnly }) => readOnly)).toHaveLength(6);
    expect(tools.filter(({ readOnly }) => !readOnly).map(({ name }) => name)).toEqual([
      "create_ticket",
      "execute_refund",
    ]);
  });

  it("graph draws every node, the two loops included", async () => {
    const run = await createWorkspace().inProcess(["graph"]);
    for (const node of ["intake", "plan", "think", "act", "compose", "critique", "deliver", "approve", "settle"]) {
      expect(run.stdout).toContain(node);
    }
  });

  it("escape sequences in a question cannot reach the terminal", async () => {
    const workspace = createWorkspace();
    const run = await workspace.inProcess(["ask", "hello \u001b[31mred\u001b[0m", "--language", "en"]);
    expect(run.stdout).not.toContain("\u001b");
  });
});
