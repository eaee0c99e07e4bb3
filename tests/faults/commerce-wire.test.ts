import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { createRehearsalModel } from "../../src/adapters/rehearsal-model.js";
import { readConfig } from "../../src/graph/compose.js";
import { MODEL_TOOLS } from "../../src/tools/allowlist.js";
import { type FaultyCommerce, faultyCommerce } from "../support/fault-commerce.js";
import { moneyOf, PAID_ONCE, UNPAID, waitingOf } from "../support/graph-case.js";
import { createWorkspace } from "../support/workspace.js";

const Call = z.looseObject({
  method: z.literal("tools/call"),
  params: z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
});

function callsOn(commerce: FaultyCommerce): z.infer<typeof Call>["params"][] {
  return commerce
    .wire()
    .filter(({ from }) => from === "host")
    .flatMap(({ message }) => {
      const call = Call.safeParse(message);
      return call.success ? [call.data.params] : [];
    });
}

test("a payment is asked for only after the approval, once, with the approval's own id and nothing of the model's", async () => {
  const workspace = createWorkspace();
  const model = createRehearsalModel();
  const offered = vi.spyOn(model, "bindTools");
  const [asking, deciding, executing] = [faultyCommerce(), faultyCommerce(), faultyCommerce()];
  const through = (commerce: FaultyCommerce) => ({ config: { ...readConfig(), commerce: commerce.command } });

  const ask = ["--json", "ask", "Please refund QH-1001.", "--language", "en"];
  const asked = await workspace.inProcess(ask, { ...through(asking), givenModel: model });
  const { caseId, digest, proposal } = waitingOf(asked);
  const reads = callsOn(asking).map(({ name }) => name);
  expect(reads).toContain("get_order");
  expect(reads).not.toContain("execute_refund");
  expect(reads).not.toContain("create_ticket");

  const approve = ["--json", "--profile", "chen", "review", caseId, "--digest", digest, "--approve"];
  expect((await workspace.inProcess(approve, through(deciding))).code).toBe(0);
  expect(deciding.started()).toEqual([]);
  expect(moneyOf(workspace)).toEqual(UNPAID);

  expect((await workspace.inProcess(["--json", "resume", caseId], through(executing))).code).toBe(0);
  const [row] = workspace.query("application", "select grant_jws from approvals");
  expect(callsOn(executing)).toMatchObject([
    { name: "execute_refund", arguments: { approval_id: proposal.approvalId, grant: row?.grant_jws } },
  ]);
  expect(executing.asked()).toBe(1);
  expect(moneyOf(workspace)).toEqual(PAID_ONCE);

  const names = z
    .array(z.tuple([z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) }))]).rest(z.unknown()))
    .parse(offered.mock.calls)
    .flatMap(([tools]) => tools.map((tool) => tool.function.name));
  expect([...new Set(names)].sort()).toEqual([...MODEL_TOOLS].sort());
});

test("the commerce process learns no key of the host's, no model setting and none of the host's files", async () => {
  const workspace = createWorkspace();
  const commerce = faultyCommerce();
  const secrets = {
    AFTERSALES_API_KEY: "sk-secret-1",
    DEEPSEEK_API_KEY: "sk-secret-2",
    OPENAI_API_KEY: "sk-secret-3",
    LANGSMITH_API_KEY: "sk-secret-4",
    AFTERSALES_BASE_URL: "http://127.0.0.1:9/private",
  };
  const env = { ...commerce.env, ...secrets };
  const asked = await workspace.cli(["--json", "ask", "Please refund QH-1001.", "--language", "en"], { env });
  const { caseId, digest } = waitingOf(asked);
  await workspace.cli(["--json", "--profile", "chen", "review", caseId, "--digest", digest, "--approve"], { env });
  expect((await workspace.cli(["--json", "resume", caseId], { env })).code).toBe(0);

  const started = commerce.started();
  expect(started.length).toBeGreaterThanOrEqual(2);
  const privateKey = z
    .looseObject({ d: z.string() })
    .parse(JSON.parse(readFileSync(join(workspace.stateDir, "host", "keys", "grant-private.jwk"), "utf8"))).d;
  for (const { args, env: given } of started) {
    const told = JSON.stringify([args, given]);
    for (const secret of [...Object.values(secrets), privateKey]) expect(told).not.toContain(secret);
    expect(Object.keys(given).filter((name) => /AFTERSALES|DEEPSEEK|OPENAI|LANG(SMITH|CHAIN)/.test(name))).toEqual([]);
    const paths = told.split(workspace.stateDir).slice(1);
    expect(paths.map((rest) => rest.slice(0, "/commerce/commerce.db".length))).toEqual(["/commerce/commerce.db"]);
    const at = args.indexOf("--public-key") + 1;
    expect(JSON.parse(Buffer.from(args[at] ?? "", "base64url").toString("utf8"))).not.toHaveProperty("d");
  }
  const profiles = started.map(({ args }) => args[args.indexOf("--profile") + 1]);
  expect(new Set(profiles)).toEqual(new Set(["alice"]));
  const lines = JSON.stringify(commerce.wire());
  for (const secret of [...Object.values(secrets), privateKey, workspace.stateDir]) expect(lines).not.toContain(secret);
});
