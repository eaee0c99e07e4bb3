import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createWorkspace, jsonOf, ROOT } from "../support/workspace.js";

const Mean = z.looseObject({
  language: z.enum(["zh", "en"]),
  split: z.enum(["development", "held_out"]),
  questions: z.int(),
  recallAt4: z.number(),
  mrrAt4: z.number(),
  unanswerable: z.int(),
  abstention: z.number(),
  falseAbstention: z.number(),
  version: z.string(),
  dataHash: z.string().regex(/^[0-9a-f]{64}$/),
  date: z.string(),
});
const Report = z.looseObject({ kind: z.literal("retrieval"), means: z.array(Mean).length(4) });

describe("the labelled questions", () => {
  it("are found as well as the last measurement says, on the questions used for tuning and on those kept aside", async () => {
    const run = await createWorkspace().inProcess(["--json", "eval", "retrieval"]);
    expect(run.code).toBe(0);
    const { means } = Report.parse(jsonOf(run));
    const meanOf = (language: string, split: string) => {
      const found = means.find((mean) => mean.language === language && mean.split === split);
      if (found === undefined) throw new Error(`no mean for ${language} ${split}`);
      return found;
    };
    for (const language of ["zh", "en"]) {
      const development = meanOf(language, "development");
      expect(development.questions).toBeGreaterThanOrEqual(60);
      expect(development.recallAt4).toBeGreaterThanOrEqual(0.98);
      expect(development.mrrAt4).toBeGreaterThanOrEqual(0.88);
      expect(development.falseAbstention).toBeLessThanOrEqual(0.05);
      const heldOut = meanOf(language, "held_out");
      expect(heldOut.questions).toBeGreaterThanOrEqual(48);
      expect(heldOut.mrrAt4).toBeGreaterThanOrEqual(0.8);
      for (const mean of [development, heldOut]) expect(mean.abstention).toBeGreaterThanOrEqual(0.85);
    }
    expect(meanOf("en", "held_out").recallAt4).toBeGreaterThanOrEqual(0.95);
    expect(meanOf("zh", "held_out").recallAt4).toBeGreaterThanOrEqual(0.9);
  });
});

describe("search", () => {
  it("shows what the agent would find, without state and without a model", async () => {
    const run = await createWorkspace().inProcess(["--json", "search", "运费退吗"]);
    const found = z
      .strictObject({
        passages: z.array(
          z.strictObject({
            id: z.string(),
            page: z.string().regex(/^[A-Z_]+:p\d\d$/),
            score: z.number(),
            title: z.string(),
            body: z.string(),
          }),
        ),
        covered: z.literal(true),
      })
      .parse(jsonOf(run));
    expect(found.passages.map(({ page }) => page)).toContain("RETURNS:p03");
    expect(found.passages.every(({ id }) => id.includes(":zh:"))).toBe(true);
  });

  it.each(["", "   ", "x".repeat(501)])("refuses a query that is blank or too long", async (query) => {
    const run = await createWorkspace().inProcess(["--json", "search", "--", query]);
    expect([run.code, jsonOf(run)]).toMatchObject([1, { error: { code: "invalid_search_query" } }]);
  });
});

describe("check-data", () => {
  it("tells what it read from the shipped data", async () => {
    const run = await createWorkspace().inProcess(["--json", "check-data"]);
    expect(run.code).toBe(0);
    expect(jsonOf(run)).toMatchObject({ ok: true, counts: { documents: 8, pages: 28, passages: 152, orders: 24 } });
  });

  it("names a directory that is none", async () => {
    const run = await createWorkspace().inProcess(["--json", "check-data", `${ROOT}/no-such-data`]);
    expect([run.code, jsonOf(run)]).toMatchObject([1, { error: { code: "data_invalid" } }]);
  });
});
