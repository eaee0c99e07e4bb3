/** The gate from the outside: whole cases whose model asks for what it may not, or whose tool breaks. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { toolError } from "../../src/domain/errors.js";
import { readConfig } from "../../src/graph/compose.js";
import { MODEL_TOOLS } from "../../src/tools/allowlist.js";
import { faultyCommerce } from "../support/fault-commerce.js";
import { codeOf } from "../support/graph-case.js";
import { GOOD_ARGUMENTS } from "../support/ledger-tools.js";
import { investigating, resultsIn } from "../support/scripted-case.js";
import { asksFor, type ScriptedChatModel } from "../support/scripted-model.js";
import { createWorkspace, jsonOf, type Run, type Workspace } from "../support/workspace.js";

type Call = Parameters<typeof asksFor>[0];
const GET: Call = { id: "good", name: "get_order", args: { order_id: "QH-1001" } };
const ASK = ["--json", "ask", "When was QH-1001 delivered?", "--language", "en"];

/** One case whose model asks for `turns`; what it was told, and what the commerce process was asked. */
async function caseOf(
  turns: readonly (readonly Call[])[],
  workspace = createWorkspace(),
): Promise<{ run: Run; model: ScriptedChatModel; sent: string; workspace: Workspace }> {
  const commerce = faultyCommerce({ fault: "none" });
  const model = investigating(turns.map((calls) => asksFor(...calls)));
  const config = { ...readConfig(), commerce: commerce.command };
  const run = await workspace.inProcess(ASK, { givenModel: model, config });
  const calls = commerce.wire().filter(({ from, message }) => from === "host" && message.method === "tools/call");
  return { run, model, sent: JSON.stringify(calls), workspace };
}

/** What the model was told, call by call. */
const codesIn = (model: ScriptedChatModel): unknown[] =>
  resultsIn(model).map((result) =>
    result.ok === true ? "ok" : z.looseObject({ error: z.looseObject({ code: z.string() }) }).parse(result).error.code,
  );

test.each(MODEL_TOOLS)("an argument that %s does not know gets one refusal, and the case goes on", async (name) => {
  const stray: Call = { id: "a", name, args: { ...GOOD_ARGUMENTS[name], amount_cents: 99_999 } };
  const { run, model, sent } = await caseOf([[stray], [GET]]);
  expect(resultsIn(model)[0]).toEqual({ ok: false, error: toolError("invalid_arguments") });
  expect(codesIn(model)).toEqual(["invalid_arguments", "ok"]);
  expect(jsonOf(run)).toMatchObject({ status: "completed", budget: { tools: { used: 2 } } });
  expect(sent).not.toContain("99999");
  expect(JSON.parse(sent)).toHaveLength(1);
});

test("malformed calls of every kind get one answer each, are charged, reach nobody, and the case goes on", async () => {
  const long = "x".repeat(1_501);
  const { run, model, sent } = await caseOf([
    [
      { id: "json", name: "get_order", args: '{"order_id":' },
      { id: "same", name: "pay_out", args: {} },
      { id: "same", name: "list_orders", args: {} },
      { id: "", name: "list_orders", args: {} },
    ],
    [
      { id: "long", name: "save_case_note", args: { note: long } },
      { id: "paying", name: "execute_refund", args: { approval_id: "a", grant: "g" } },
      { id: "other", name: "get_order", args: { order_id: "QH-1002" } },
      { id: "good1", name: "get_order", args: { order_id: "QH-1001" } },
      { id: "fifth", name: "get_order", args: { order_id: "QH-1001" } },
    ],
    [{ id: "good1", name: "list_orders", args: {} }],
    [
      { id: "good2", name: "get_order", args: { order_id: "ｑｈ-1001 " } },
      { id: "third", name: "get_order", args: { order_id: "QH-1001" } },
    ],
  ]);
  expect(codesIn(model).toSorted()).toEqual(
    [
      "arguments_not_json",
      "tool_not_allowed",
      "call_id_not_unique",
      "call_id_not_unique",
      "invalid_arguments",
      "tool_not_allowed",
      "order_not_bound_to_case",
      "ok",
      "too_many_calls_in_turn",
      "call_id_not_unique",
      "ok",
      "repeated_call",
    ].toSorted(),
  );
  expect(jsonOf(run)).toMatchObject({ status: "completed", budget: { tools: { used: 12 } } });
  expect(JSON.parse(sent)).toHaveLength(2);
});

const PATH = "/srv/qinghe/state/application.db";
const SQL = "insert into notes (case_id, note)";
const TOKEN = "c2VjcmV0LXRva2VuLTEyMzQ1Njc4OTA";
const SAYS = `cannot write ${PATH}: ${SQL}; Authorization: Bearer ${TOKEN}`;
const NOTE: Call = { id: "note", name: "save_case_note", args: { note: "the box was wet" } };

/** A state directory in which keeping a note fails with a path, a statement and a token in the error. */
function brokenNotes(): Workspace {
  const workspace = createWorkspace();
  workspace.tamper(
    "application",
    `create trigger broken before insert on notes begin select raise(abort, '${SAYS.replaceAll("'", "''")}'); end`,
  );
  return workspace;
}

test("a tool that throws a path, a statement and a token shows none of them to the model, the customer or the record", async () => {
  const { run, model, workspace } = await caseOf([[NOTE], [GET]], brokenNotes());
  expect(resultsIn(model)[0]).toEqual({ ok: false, error: toolError("tool_failed") });
  expect(codesIn(model)).toEqual(["tool_failed", "ok"]);
  const shown = z.looseObject({ caseId: z.string(), status: z.string(), artifact: z.string() }).parse(jsonOf(run));
  expect(shown.status).toBe("completed");
  const listed = await workspace.inProcess(["inspect", shown.caseId, "--events"]);
  const everywhere = [
    ...model.calls.flatMap(({ messages }) => messages.map(({ text }) => text)),
    run.stdout,
    run.stderr,
    readFileSync(shown.artifact, "utf8"),
    listed.stdout,
    JSON.stringify(workspace.query("checkpoints", "select cast(checkpoint as text) as text from checkpoints")),
    JSON.stringify(workspace.query("application", "select * from cases")),
  ].join("\n");
  for (const secret of [PATH, SQL, TOKEN]) expect(everywhere).not.toContain(secret);
});

test("the merchant's staff find the cause, its token masked, under the number of the event that the log names", async () => {
  const { run, workspace } = await caseOf([[NOTE], [GET]], brokenNotes());
  const caseId = String(jsonOf(run).caseId);
  const listed = await workspace.inProcess(["inspect", caseId, "--events"]);
  const [, number = "none"] =
    /^(\d+)\. .*save_case_note refused tool_failed \(cause kept\)$/m.exec(listed.stdout) ?? [];
  const found = await workspace.inProcess(["--profile", "chen", "inspect", caseId, "--event", number]);
  expect(found).toMatchObject({ code: 0, stderr: "" });
  expect(found.stdout).toContain(`${number}. `);
  expect(found.stdout).toContain("tool_failed");
  expect(found.stdout).toContain(`Cause: cannot write ${PATH}: ${SQL}; Authorization: [masked]`);
  expect(found.stdout).not.toContain(TOKEN);
  const machine = await workspace.inProcess(["--json", "--profile", "chen", "inspect", caseId, "--event", number]);
  expect(jsonOf(machine)).toMatchObject({
    caseId,
    event: {
      number: Number(number),
      tool: "save_case_note",
      code: "tool_failed",
      cause: expect.stringContaining(PATH),
    },
  });
});

test("a case that failed names the event that keeps the cause", async () => {
  const workspace = createWorkspace();
  workspace.tamper("application", "alter table preferences rename to elsewhere");
  const { run } = await caseOf([[GET]], workspace);
  const { caseId, error } = z
    .looseObject({ caseId: z.string(), error: z.looseObject({ code: z.string(), event: z.int() }) })
    .parse(jsonOf(run));
  expect([run.code, error.code]).toEqual([1, "internal_error"]);
  expect(run.stdout + run.stderr).not.toContain("no such table");
  const text = await workspace.inProcess(["inspect", caseId]);
  expect(text.stdout).toContain(`(internal_error, event ${error.event})`);
  const found = await workspace.inProcess(["--profile", "chen", "inspect", caseId, "--event", String(error.event)]);
  expect(found.stdout).toContain("Cause: no such table: preferences");
});

test.each([
  ["the customer", "alice", "1", "not_reviewer"],
  ["another customer", "bob", "1", "case_not_accessible"],
  ["another merchant's reviewer", "mei", "1", "case_not_accessible"],
  ["a reviewer who names no such event", "chen", "999", "event_not_found"],
  ["a reviewer who names no number", "chen", "1 or 1=1", "event_not_found"],
  ["a reviewer who names zero", "chen", "0", "event_not_found"],
])("%s is shown no cause", async (_who, profile, number, code) => {
  const { run, workspace } = await caseOf([[NOTE]], brokenNotes());
  const caseId = String(jsonOf(run).caseId);
  const asked = await workspace.inProcess(["--json", "--profile", profile, "inspect", caseId, "--event", number]);
  expect(codeOf(asked)).toBe(code);
  expect(asked.stdout + asked.stderr).not.toContain(PATH);
});
