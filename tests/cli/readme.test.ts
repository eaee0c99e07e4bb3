import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { CLI, ROOT, runProcess } from "../support/workspace.js";

const README = readFileSync(join(ROOT, "README.md"), "utf8");

type Step = { command: string; expected: string[] };

/** Every `$ command` of the README's console blocks, with the lines shown under it. */
function consoleSteps(): Step[] {
  const steps: Step[] = [];
  for (const [, block = ""] of README.matchAll(/```console\n(.*?)```/gs)) {
    for (const line of block.trimEnd().split("\n")) {
      if (line.startsWith("$ ")) steps.push({ command: line.slice(2), expected: [] });
      else steps.at(-1)?.expected.push(line);
    }
  }
  return steps;
}

/** What differs from run to run is written the same: ids, digests, times, durations. */
function comparable(line: string): string {
  return line
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replace(/[0-9a-f]{64}/g, "<digest>")
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "<time>")
    .replace(/^ *\d+\.\d+s/, "<s>")
    .trim();
}

describe("the README", () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "aftersales-readme-"));
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules", "qinghe-aftersales"));
    symlinkSync(join(ROOT, "node_modules", "@langchain"), join(folder, "node_modules", "@langchain"));
    cpSync(join(ROOT, "examples"), join(folder, "examples"), { recursive: true });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("shows commands and outputs that are real, in the order a reader types them", async () => {
    const steps = consoleSteps();
    expect(steps.length).toBeGreaterThan(8);
    let caseId = "";
    let digest = "";
    for (const { command, expected } of steps) {
      const typed = command
        .replace("npx aftersales", `"${process.execPath}" "${CLI}"`)
        .replace(/^node /, `"${process.execPath}" `)
        .replaceAll("CASE", caseId)
        .replaceAll("DIGEST", digest);
      const own = command.startsWith("node ") ? join(folder, "program") : folder;
      if (own !== folder) {
        mkdirSync(own, { recursive: true });
        cpSync(join(folder, "examples"), join(own, "examples"), { recursive: true });
      }
      const run = await runProcess("/bin/sh", ["-c", typed], { cwd: own });
      const printed = `${run.stdout}\n${run.stderr}`.split("\n").map(comparable);
      for (const line of expected) expect(printed, `${command}\n${run.stderr}`).toContain(comparable(line));
      caseId = /^(?:Case|案件) ([0-9a-f-]{36})$/m.exec(run.stderr)?.[1] ?? caseId;
      digest = /^Digest: ([0-9a-f]{64})$/m.exec(run.stdout)?.[1] ?? digest;
    }
  });

  it("names the scripts that package.json has, and the test command that CI runs", () => {
    const { scripts } = z
      .looseObject({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
    for (const [, script = ""] of README.matchAll(/npm run ([a-z:]+)/g)) expect(scripts).toHaveProperty([script]);
    expect(README).toContain("npm ci && npm test");
    expect(readFileSync(join(ROOT, ".ci", "run"), "utf8")).toContain("npm test");
  });

  it("shows the graph as the compiled graph draws it", async () => {
    const [, shown] = /```mermaid\n(.*?)\n```/s.exec(README) ?? [];
    const drawn = await runProcess(process.execPath, [CLI, "graph"]);
    expect(shown).toBe(drawn.stdout.trim());
  });

  it("links to files that exist", () => {
    for (const [, target = ""] of README.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      expect(() => readFileSync(join(ROOT, target)), target).not.toThrow(/ENOENT/);
    }
  });
});
