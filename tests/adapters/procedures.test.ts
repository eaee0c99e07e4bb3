import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadProcedures } from "../../src/adapters/procedures.js";
import { LIMITS } from "../../src/domain/limits.js";
import { copyOfData, DATA } from "../support/ledger-data.js";

const FILE = "skills/refund/SKILL.md";

test("a procedure has a name and a description for planning, and a body in both languages", () => {
  const procedures = loadProcedures(DATA);
  const listed = procedures.list();
  expect(listed.map(({ name }) => name)).toContain("refund");
  for (const { name, description } of listed) {
    expect(description).not.toBe("");
    expect(procedures.load(name, "zh")).toMatch(/\p{Script=Han}/u);
    expect(procedures.load(name, "en")).toMatch(/[a-z]{4}/);
  }
});

test.each(["unknown", "", "../refund", "constructor", "__proto__"])("there is no procedure %j", (name) => {
  expect(loadProcedures(DATA).load(name, "en")).toBeNull();
});

test("only what the manifest lists exists", () => {
  const { dir } = copyOfData();
  writeFileSync(join(dir, "skills/manifest.json"), '{"skills":[{"name":"refund","file":"refund/SKILL.md"}]}');
  const procedures = loadProcedures(dir);
  expect(procedures.list().map(({ name }) => name)).toEqual(["refund"]);
  expect(procedures.load("invoice", "en")).toBeNull();
});

test.each<[string, (text: string) => string, string]>([
  ["no front matter", (text) => text.replace(/^---\n/, ""), "front matter"],
  ["another name than the manifest's", (text) => text.replace("name: refund", "name: refunds"), "front matter"],
  ["no description", (text) => text.replace(/description: .*\n/, ""), "front matter"],
  ["a front matter field too many", (text) => text.replace("name: refund", "name: refund\ntools: all"), "front matter"],
  ["no Chinese part", (text) => text.replace("## zh", "## cn"), '"## zh"'],
  ["no English part", (text) => text.replace("## en", "## English"), '"## en"'],
  ["an empty English part", (text) => text.replace(/## en[\s\S]*?(?=\n## |$)/, "## en\n"), '"## en"'],
  [
    "a body that is too long",
    (text) => text.replace("## en\n", `## en\n${"x".repeat(LIMITS.skillBodyChars)}\n`),
    "longer than 6000",
  ],
])("a procedure with %s is refused with file and advice", (_what, change, detail) => {
  const { dir, edit } = copyOfData();
  edit(FILE, change);
  expect(() => loadProcedures(dir)).toThrow(
    expect.objectContaining({ code: "data_invalid", details: { file: FILE, detail: expect.stringContaining(detail) } }),
  );
});

test.each(["../profiles.json", "../../outside.md", "/etc/passwd", "refund/../../profiles.json"])(
  "the manifest cannot lead to %s",
  (file) => {
    const { dir } = copyOfData();
    writeFileSync(join(dir, "skills/manifest.json"), JSON.stringify({ skills: [{ name: "refund", file }] }));
    expect(() => loadProcedures(dir)).toThrow(
      expect.objectContaining({
        code: "data_invalid",
        details: expect.objectContaining({ detail: "leads outside the skills folder" }),
      }),
    );
  },
);

test("a link inside the folder cannot lead outside either", () => {
  const { dir } = copyOfData();
  writeFileSync(join(dir, "outside.md"), "---\nname: refund\ndescription: x\n---\n## zh\n外\n## en\noutside\n");
  rmSync(join(dir, FILE));
  symlinkSync(join(dir, "outside.md"), join(dir, FILE));
  expect(() => loadProcedures(dir)).toThrow(expect.objectContaining({ code: "data_invalid" }));
});

test("a listed procedure that is missing is refused", () => {
  const { dir } = copyOfData();
  rmSync(join(dir, FILE));
  expect(() => loadProcedures(dir)).toThrow(
    expect.objectContaining({ details: { file: FILE, detail: "cannot be read" } }),
  );
});

test.each([
  "{",
  "[]",
  '{"skills":[]}',
  '{"skills":[{"name":"Refund!","file":"x"}]}',
  '{"skills":[{"name":"refund"}]}',
  '{"skills":[{"name":"a","file":"b"}],"x":1}',
])("%s is no manifest", (text) => {
  const { dir } = copyOfData();
  writeFileSync(join(dir, "skills/manifest.json"), text);
  expect(() => loadProcedures(dir)).toThrow(
    expect.objectContaining({
      code: "data_invalid",
      details: expect.objectContaining({ file: "skills/manifest.json" }),
    }),
  );
});
