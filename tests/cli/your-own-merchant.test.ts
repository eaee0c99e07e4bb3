import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { CLI, jsonOf, ROOT, runProcess, workspaceAt } from "../support/workspace.js";

const GUIDE = readFileSync(join(ROOT, "docs", "your-own-merchant.md"), "utf8");

/** Saves every file of the guide under the name that stands above it. */
function followGuide(): { folder: string; data: string } {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-merchant-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const data = join(folder, "beihe");
  for (const [, name = "", , body = ""] of GUIDE.matchAll(/^`([\w./]+)`\n\n```(json|markdown)\n(.*?)^```$/gms)) {
    mkdirSync(dirname(join(data, name)), { recursive: true });
    writeFileSync(join(data, name), body);
  }
  return { folder, data };
}

it("the guide builds a second merchant that works as it says", async () => {
  const { folder } = followGuide();
  const commands = [...GUIDE.matchAll(/```console\n(.*?)```/gs)].flatMap(([, block = ""]) =>
    block.trimEnd().split("\n"),
  );
  let output = "";
  for (const line of commands) {
    if (!line.startsWith("$ ")) {
      expect(output.split("\n")).toContain(line);
      continue;
    }
    const typed = line.slice(2).replace("npx aftersales", `"${process.execPath}" "${CLI}"`);
    const run = await runProcess("/bin/sh", ["-c", typed], { cwd: folder });
    expect(run.code, `${line}\n${run.stderr}`).toBe(0);
    output = run.stdout;
  }
  expect(output).toContain("QH-7001");
});

it("its cases follow its own rules, terms and clock, up to the receipt", async () => {
  const { folder, data } = followGuide();
  const workspace = workspaceAt(join(folder, "state"));
  const as = (profile: string, ...args: string[]) =>
    workspace.inProcess(["--json", "--data", data, "--profile", profile, ...args]);
  expect((await as("dora", "init")).code).toBe(0);
  const late = jsonOf(await as("dora", "ask", "请为 QH-7002 办理退款。", "--language", "zh"));
  expect(late).toMatchObject({ status: "completed", quote: { reason: "outside_window", daysSinceDelivery: 15 } });
  const waiting = z
    .looseObject({ caseId: z.string(), digest: z.string(), answer: z.looseObject({ citations: z.array(z.string()) }) })
    .parse(jsonOf(await as("dora", "ask", "Please refund QH-7001.", "--language", "en")));
  expect(waiting.answer.citations).toEqual(expect.arrayContaining(["RETURNS:p01:en:0", "RETURNS:p02:en:0"]));
  expect((await as("emil", "review", waiting.caseId, "--digest", waiting.digest, "--approve")).code).toBe(0);
  expect(jsonOf(await as("dora", "resume", waiting.caseId))).toMatchObject({
    status: "completed",
    receipt: { amountCents: 25000, simulated: true },
  });
});
