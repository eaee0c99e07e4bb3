import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transform } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { expectShown, type Names, stepsIn, withNames } from "../support/document-steps.js";
import { startStudio, studioPlace } from "../support/studio-server.js";
import { CLI, ROOT, runProcess } from "../support/workspace.js";

const GUIDE = readFileSync(join(ROOT, "docs", "clients.md"), "utf8");

/** One chapter of the guide, by its heading. */
function chapter(heading: string): string {
  const text = GUIDE.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`));
  if (text === undefined) throw new Error(`no chapter ${heading}`);
  return text;
}

/** Starts the server as the chapter says, and types its commands one after another into one shell's place. */
async function follow(heading: string): Promise<Names> {
  const text = chapter(heading);
  const [, settings = "", flags = ""] = /```sh\n((?:\w+=\w+ )*)npm run studio -- (.*)\n```/.exec(text) ?? [];
  const place = studioPlace();
  onTestFinished(place.remove);
  symlinkSync("state", join(place.folder, ".state"));
  cpSync(join(ROOT, "examples"), join(place.folder, "examples"), { recursive: true });
  const env = Object.fromEntries(
    settings
      .trim()
      .split(" ")
      .filter(Boolean)
      .map((pair) => pair.split("=")),
  );
  const server = await startStudio(place, { env, flags: flags.split(" ") });
  onTestFinished(() => server.stop());

  const names: Names = new Map();
  let shell = `AFTERSALES_STATE_DIR="${place.workspace.stateDir}"; export AFTERSALES_STATE_DIR\n`;
  for (const step of stepsIn(text)) {
    const typed = withNames(step.command, names)
      .replaceAll("http://127.0.0.1:2024", server.url)
      .replace("npx aftersales", `"${process.execPath}" "${CLI}"`)
      .replace(
        "npm run --silent studio:token --",
        `"${process.execPath}" "${join(ROOT, "scripts", "studio-token.mjs")}"`,
      )
      .replace(/^node /, `"${process.execPath}" `);
    if (/^\w+=/.test(typed)) {
      shell += `${typed}\n`;
      continue;
    }
    const { stdout } = await runProcess("/bin/sh", ["-c", shell + typed], { cwd: place.folder });
    expectShown(step, stdout, names);
  }
  return names;
}

describe("the guide for LangGraph clients", () => {
  it("shows real requests and answers of a local server, and what it shares with the command line", async () => {
    const names = await follow("A local server");
    expect([...names.keys()].sort()).toEqual(["CASE", "DIGEST", "DIGEST-2", "QUESTION", "QUESTION-2", "THREAD"]);
  });

  it("shows a client program that runs from the question to the receipt", async () => {
    await follow("The JavaScript client");
  });

  it("shows real requests and answers of a server with sign-in", async () => {
    const names = await follow("A server with sign-in");
    expect([...names.keys()].sort()).toEqual(["DIGEST", "QUESTION", "THREAD"]);
  });

  it("shows a TypeScript program that does what it says", async () => {
    const [, program = ""] = /```ts\n(.*?)```/s.exec(GUIDE) ?? [];
    const [, printed = ""] = /It prints:\n\n```text\n(.*?)```/s.exec(GUIDE) ?? [];
    const place = studioPlace();
    onTestFinished(place.remove);
    const folder = join(place.folder, "program");
    mkdirSync(join(folder, "node_modules"), { recursive: true });
    symlinkSync(ROOT, join(folder, "node_modules", "qinghe-aftersales"));
    symlinkSync(join(ROOT, "node_modules", "@langchain"), join(folder, "node_modules", "@langchain"));
    writeFileSync(join(folder, "program.mjs"), (await transform(program, { loader: "ts" })).code);
    const run = await runProcess(process.execPath, ["program.mjs"], { cwd: folder });
    expect(run.stdout, run.stderr).toBe(printed);
  });

  it("links to files that exist", () => {
    for (const [, target = ""] of GUIDE.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      expect(() => readFileSync(join(ROOT, "docs", target)), target).not.toThrow();
    }
  });
});
