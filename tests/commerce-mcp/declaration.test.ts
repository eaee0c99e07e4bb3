/** The server as `.mcp.json` declares it, started by clients that are not ours: nothing but the file and three variables. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { COMMERCE_READ_TOOLS } from "../../src/domain/commerce-wire.js";
import { callTool, dataOf, errorOf } from "../support/commerce-client.js";
import { createWorkspace, jsonOf, ROOT, type Workspace } from "../support/workspace.js";

const Declaration = z.strictObject({
  mcpServers: z.strictObject({
    "qinghe-commerce": z.strictObject({ type: z.literal("stdio"), command: z.string(), args: z.array(z.string()) }),
  }),
});
const declared = Declaration.parse(JSON.parse(readFileSync(join(ROOT, ".mcp.json"), "utf8"))).mcpServers[
  "qinghe-commerce"
];

/** What a client makes of the file: every `${NAME}` by its value, and a refusal to start when one is not set. */
function expanded(variables: Record<string, unknown>): { command: string; args: string[] } {
  const expand = (text: string): string =>
    text.replace(/\$\{(\w+)\}/g, (_whole, name: string) => {
      if (!Object.hasOwn(variables, name)) throw new Error(`${name} is not set`);
      return String(variables[name]);
    });
  return { command: expand(declared.command), args: declared.args.map(expand) };
}

async function variablesOf(workspace: Workspace): Promise<Record<string, unknown>> {
  const run = await workspace.cli(["--json", "mcp-env"]);
  expect(run.code, run.stderr).toBe(0);
  return jsonOf(run);
}

async function plainClient({ command, args }: { command: string; args: string[] }): Promise<Client> {
  const client = new Client({ name: "somebody-else", version: "1.0.0" });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport({ command, args, cwd: ROOT, stderr: "ignore" }));
  return client;
}

const money = (workspace: Workspace): unknown => ({
  orders: workspace.query("commerce", "select order_id, refunded_cents, version from orders order by order_id"),
  receipts: workspace.query("commerce", "select * from receipts"),
});
const UNPAID = { approval_id: "5af875bd-df65-4513-b027-69177cae84af-1", grant: "e30.e30.e30" };

test("database, public key and profile come from variables alone, without defaults, and nothing allows writes", () => {
  const text = JSON.stringify(declared);
  expect(text.match(/\$\{\w+\}/g)).toEqual([
    "${QINGHE_COMMERCE_DATABASE}",
    "${QINGHE_COMMERCE_PUBLIC_KEY}",
    "${QINGHE_COMMERCE_PROFILE}",
  ]);
  expect(text).not.toContain(":-");
  expect(text).not.toContain("--allow-writes");
});

test("a plain client gets six read tools, reads an order, and cannot even name a write", async () => {
  const workspace = createWorkspace();
  const client = await plainClient(expanded(await variablesOf(workspace)));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([...COMMERCE_READ_TOOLS]);
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  expect(dataOf(await callTool(client, "get_order", { order_id: "QH-1001" }))).toMatchObject({
    paid_items_cents: 12_900,
  });
  expect(errorOf(await callTool(client, "get_order", { order_id: "QH-2001" })).code).toBe("order_not_accessible");
  const before = money(workspace);
  await expect(callTool(client, "execute_refund", UNPAID)).rejects.toMatchObject({ code: -32602 });
  await expect(callTool(client, "create_ticket", {})).rejects.toMatchObject({ code: -32602 });
  expect(money(workspace)).toEqual(before);
});

test("the stock LangChain client gets the same six and reads with them", async () => {
  const workspace = createWorkspace();
  const { command, args } = expanded(await variablesOf(workspace));
  const adapter = new MultiServerMCPClient({
    mcpServers: { commerce: { transport: "stdio", command, args, cwd: ROOT, stderr: "ignore" } },
  });
  onTestFinished(() => adapter.close());
  const tools = await adapter.getTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([...COMMERCE_READ_TOOLS].sort());
  const shipment = tools.find(({ name }) => name === "get_shipment");
  expect(JSON.stringify(await shipment?.invoke({ order_id: "QH-1001" }))).toContain("DEMO-1001");
});

test("with the writes allowed there are eight tools, and a refund without a reviewer's grant pays nothing", async () => {
  const workspace = createWorkspace();
  const { command, args } = expanded(await variablesOf(workspace));
  const client = await plainClient({ command, args: [...args, "--allow-writes"] });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
    ...COMMERCE_READ_TOOLS,
    "create_ticket",
    "execute_refund",
  ]);
  const before = money(workspace);
  for (const grant of [UNPAID.grant, "", "approved by the reviewer"]) {
    const result = await callTool(client, "execute_refund", { ...UNPAID, grant });
    expect(["grant_invalid", "invalid_arguments"]).toContain(errorOf(result).code);
  }
  expect(money(workspace)).toEqual(before);
});

test("the variables are printed for a shell as well, and only for a state and a profile that exist", async () => {
  const workspace = createWorkspace();
  const { QINGHE_COMMERCE_PUBLIC_KEY } = await variablesOf(workspace);
  const shown = await workspace.cli(["--profile", "bob", "mcp-env"]);
  expect(shown.stdout).toContain(`export QINGHE_COMMERCE_PUBLIC_KEY='${QINGHE_COMMERCE_PUBLIC_KEY}'\n`);
  expect(shown.stdout).toContain("export QINGHE_COMMERCE_PROFILE='bob'");
  const key = z
    .looseObject({})
    .parse(JSON.parse(Buffer.from(String(QINGHE_COMMERCE_PUBLIC_KEY), "base64url").toString("utf8")));
  expect(Object.keys(key).sort()).toEqual(["crv", "kty", "x"]);
  expect(await workspace.cli(["--profile", "nobody", "mcp-env"])).toMatchObject({ code: 1, stdout: "" });
  expect(await workspace.cli(["--state-dir", join(workspace.stateDir, "none"), "mcp-env"])).toMatchObject({
    code: 1,
    stdout: "",
  });
});
