import { expect, it } from "vitest";
import { createWorkspace, jsonOf } from "../support/workspace.js";

it.each([
  {
    language: "en",
    question: "发票能开公司抬头吗",
    says: /The terms in force say/,
    page: "INVOICES:p01:en",
  },
  { language: "zh", question: "Can you put my company's name on the invoice?", says: /现行条款/, page: "INVOICES:p0" },
])(
  "a question in the other language is answered in the case's language, $language",
  async ({ language, question, says, page }) => {
    const run = await createWorkspace().inProcess(["--json", "ask", question, "--language", language]);
    expect(run.code).toBe(0);
    expect(jsonOf(run)).toMatchObject({ status: "completed", language });
    expect(run.stdout).toMatch(says);
    expect(run.stdout).toContain(page);
  },
);
