import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/workspace.js";

const BLOCKS = /^```.*?^```$/gms;

/** What both languages have to share. Who changes README.md translates the change in README.zh.md; blocks are copied as they are. */
function shape(name: string) {
  const text = readFileSync(join(ROOT, name), "utf8");
  const prose = text.replace(BLOCKS, "");
  const found = (pattern: RegExp): string[] => [...prose.matchAll(pattern)].map(([, first = ""]) => first);
  return {
    blocks: text.match(BLOCKS) ?? [],
    headings: found(/^(#+) /gm),
    code: found(/`([^`\n]+)`/g).sort(),
    links: found(/\]\(([^)]+)\)/g)
      .filter((target) => !/^README/.test(target))
      .sort(),
    tableRows: found(/^(\|)/gm).length,
    listItems: found(/^(-) /gm).length,
    paragraphs: prose.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== "").length,
  };
}

describe("README.zh.md says what README.md says", () => {
  const [english, chinese] = [shape("README.md"), shape("README.zh.md")];

  it("under the same headings, in the same paragraphs, lists and tables", () => {
    expect(english.headings.length).toBeGreaterThan(5);
    expect(chinese.headings).toEqual(english.headings);
    expect(chinese.paragraphs).toBe(english.paragraphs);
    expect(chinese.listItems).toBe(english.listItems);
    expect(chinese.tableRows).toBe(english.tableRows);
  });

  it("with the same commands and outputs", () => {
    expect(english.blocks.length).toBeGreaterThan(8);
    expect(chinese.blocks).toEqual(english.blocks);
  });

  it("with the same names, options and links in its sentences", () => {
    expect(chinese.code).toEqual(english.code);
    expect(chinese.links).toEqual(english.links);
  });

  it("in Chinese, and each points to the other", () => {
    const text = readFileSync(join(ROOT, "README.zh.md"), "utf8");
    const han = text.replace(BLOCKS, "").match(/\p{Script=Han}/gu) ?? [];
    expect(han.length).toBeGreaterThan(1_000);
    expect(text).toContain("(README.md)");
    expect(readFileSync(join(ROOT, "README.md"), "utf8")).toContain("(README.zh.md)");
  });
});
