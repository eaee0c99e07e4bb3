import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { systemClocks } from "../../src/graph/compose.js";
import { openAftersales } from "../../src/graph/open.js";
import { askForRefund, Waiting } from "../support/refund-story.js";
import { createWorkspace, jsonOf, type Run, type Workspace } from "../support/workspace.js";

const codeOf = (run: Run): string =>
  z.looseObject({ error: z.looseObject({ code: z.string() }) }).parse(jsonOf(run)).error.code;

/** Command lines of running processes that name this workspace. */
function processesOf({ stateDir }: Workspace): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .map((pid) => {
      try {
        return readFileSync(join("/proc", pid, "cmdline"), "utf8").replaceAll("\0", " ");
      } catch {
        return "";
      }
    })
    .filter((line) => line.includes(stateDir));
}

function filesOf({ stateDir }: Workspace): string[] {
  return readdirSync(stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(stateDir.length + 1))
    .sort();
}

describe("what commands leave behind", () => {
  it("is readable by its owner only, and no process or stray file, however a command ends", async () => {
    const workspace = createWorkspace();
    const asked = Waiting.parse(
      jsonOf(await workspace.cli(["--json", "ask", "Please refund QH-1001.", "--language", "en"])),
    );
    const review = ["--profile", "chen", "review", asked.caseId, "--digest", asked.digest, "--approve"];
    for (const args of [
      ["review", asked.caseId, "--digest", asked.digest, "--approve"],
      review,
      ["resume", asked.caseId],
      ["inspect", asked.caseId, "--events"],
      ["mcp-tools"],
      ["create-ticket", "QH-1012", "please call", "--key", "k"],
      ["ask", ""],
      ["no-such-command"],
    ]) {
      await workspace.cli(args);
      expect(processesOf(workspace), args.join(" ")).toEqual([]);
    }
    const records = filesOf(workspace).filter((file) => file.startsWith("host/artifacts/"));
    expect(records.every((file) => file.includes(asked.caseId) && file.endsWith(".md"))).toBe(true);
    expect(filesOf(workspace).filter((file) => !file.startsWith("host/artifacts/"))).toEqual([
      "commerce/commerce.db",
      "host/application.db",
      "host/checkpoints.db",
      "host/keys/grant-private.jwk",
    ]);
    const modeOf = (path: string): string => (statSync(join(workspace.stateDir, path)).mode & 0o777).toString(8);
    for (const folder of ["", "host", "host/keys", "host/artifacts", "commerce"])
      expect(modeOf(folder), folder).toBe("700");
    for (const file of filesOf(workspace)) expect(modeOf(file), file).toBe("600");
  });
});

describe("a case that another process holds", () => {
  it("is busy until a named time, and free again when that process lets go", async () => {
    const workspace = createWorkspace();
    const { caseId } = await askForRefund(workspace);
    const holder = await openAftersales({ stateDir: workspace.stateDir, profile: "alice", model: "rehearsal" });
    await holder.withCase(caseId, async () => {
      const run = await workspace.cli(["--json", "resume", caseId]);
      expect([run.code, codeOf(run)]).toEqual([1, "case_busy"]);
      expect(run.stderr).toMatch(/until \d{4}-\d\d-\d\dT/);
    });
    await holder.close();
    expect((await workspace.cli(["--json", "resume", caseId])).code).toBe(0);
  });

  it("is taken over after the lease has ended, and the old holder can write nothing more", async () => {
    const workspace = createWorkspace();
    const { caseId, digest } = await askForRefund(workspace);
    const sleeper = await openAftersales({ stateDir: workspace.stateDir, profile: "alice", model: "rehearsal" });
    const config = { configurable: { thread_id: caseId }, durability: "sync" as const };
    const outcome = await sleeper.withCase(caseId, async () => {
      const later = { clocks: { ...systemClocks, runtime: { nowMs: () => Date.now() + 31_000 } } };
      const taken = await workspace.inProcess(
        ["--json", "--profile", "chen", "review", caseId, "--digest", digest, "--reject"],
        later,
      );
      expect(taken.code).toBe(0);
      const before = workspace.query("checkpoints", "select count(*) as steps from checkpoints");
      const failure = await sleeper.graph.updateState(config, { refusal: "forged" }).then(
        () => "written",
        (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error)),
      );
      expect(workspace.query("checkpoints", "select count(*) as steps from checkpoints")).toEqual(before);
      return failure;
    });
    await sleeper.close();
    expect(outcome).toBe("lease_lost");
    expect(workspace.query("application", "select status from cases")).toEqual([{ status: "rejected" }]);
  });

  it("cannot be worked on through the graph without holding it", async () => {
    const workspace = createWorkspace();
    const { caseId } = await askForRefund(workspace);
    const program = await openAftersales({ stateDir: workspace.stateDir, profile: "alice", model: "rehearsal" });
    const config = { configurable: { thread_id: caseId }, durability: "sync" as const };
    await expect(program.graph.updateState(config, { refusal: "forged" })).rejects.toThrow();
    await program.close();
  });
});

describe("a case that this program cannot continue", () => {
  it("of another graph version is refused by name, and can still be looked at", async () => {
    const workspace = createWorkspace();
    const { caseId } = await askForRefund(workspace);
    workspace.tamper("application", "update cases set graph_version = '0'");
    expect(codeOf(await workspace.inProcess(["--json", "resume", caseId]))).toBe("graph_version_mismatch");
    expect((await workspace.inProcess(["inspect", caseId])).code).toBe(0);
  });

  it("that failed needs --retry, keeps counting what it spends, and then completes", async () => {
    const workspace = createWorkspace();
    const failed = jsonOf(
      await workspace.inProcess(["--json", "--model", "live", "ask", "Please refund QH-1001.", "--language", "en"], {
        config: (await import("../../src/graph/compose.js")).readConfig({
          AFTERSALES_API_KEY: "sk-test",
          AFTERSALES_MODEL: "m",
          AFTERSALES_BASE_URL: "http://127.0.0.1:9",
        }),
      }),
    );
    const caseId = z.string().parse(failed.caseId);
    expect(failed).toMatchObject({
      status: "failed",
      error: { code: "model_unavailable" },
      budget: { model: { used: 1 } },
    });
    expect(codeOf(await workspace.inProcess(["--json", "resume", caseId]))).toBe("retry_required");
    const retried = jsonOf(await workspace.inProcess(["--json", "resume", caseId, "--retry"]));
    expect(retried).toMatchObject({ status: "waiting_approval", proposal: { amountCents: 12900 } });
    expect(
      z.looseObject({ budget: z.looseObject({ model: z.looseObject({ used: z.int() }) }) }).parse(retried).budget.model
        .used,
    ).toBeGreaterThan(5);
    expect(codeOf(await workspace.inProcess(["--json", "resume", caseId, "--retry"]))).toBe("retry_not_failed");
  });
});
