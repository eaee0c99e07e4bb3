/** The descriptions as a contract: they alone lead requests to the right tool, and nothing else does. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { readConfig } from "../../src/adapters/config.js";
import { loadRoutingRequests } from "../../src/adapters/routing-requests.js";
import { loadSynonyms } from "../../src/adapters/synonyms.js";
import { createToolRouter, type DescribedTool } from "../../src/adapters/tool-router.js";
import { createVocabulary } from "../../src/adapters/vocabulary.js";
import { LOCAL_TOOLS } from "../../src/tools/allowlist.js";
import { startInMemory } from "../support/commerce-in-memory.js";
import { openShop } from "../support/commerce-shop.js";
import { toolBench } from "../support/ledger-tools.js";
import { completion, startModelServer, toolCalls } from "../support/model-server.js";
import { createWorkspace, jsonOf, ROOT } from "../support/workspace.js";

const DATA = join(ROOT, "data");
const Stamped = { version: z.string(), dataHash: z.string().regex(/^[0-9a-f]{64}$/), date: z.iso.datetime() };
const Figure = z.strictObject({
  descriptions: z.enum(["real", "naive", "permuted", "live model"]),
  language: z.enum(["all", "en", "zh"]),
  split: z.enum(["all", "development", "held_out"]),
  requests: z.int(),
  right: z.number(),
  ambiguous: z.number(),
  wrong: z.number(),
  rightShare: z.number(),
  ...Stamped,
});
const Routed = z.looseObject({
  id: z.string(),
  request: z.string(),
  chosen: z.array(z.string()),
  verdict: z.string(),
  ...Stamped,
});
const Report = z.strictObject({
  kind: z.literal("routing"),
  ...Stamped,
  figures: z.array(Figure),
  requests: z.array(Routed),
  live: z.array(Routed),
});
type Report = z.infer<typeof Report>;

function figureOf(report: Report, descriptions: string, language = "all", split = "all"): z.infer<typeof Figure> {
  const found = report.figures.find(
    (figure) => figure.descriptions === descriptions && figure.language === language && figure.split === split,
  );
  if (found === undefined) throw new Error(`no figure for ${descriptions} ${language} ${split}`);
  return found;
}

const { requests, naive } = loadRoutingRequests(DATA);
const vocabulary = createVocabulary(loadSynonyms(DATA));
/** The twelve as the product describes them: six by the service itself, six on this side. */
async function realTools(): Promise<DescribedTool[]> {
  const shop = await openShop();
  onTestFinished(() => shop.remove());
  const { client, close } = await startInMemory(shop, "alice", { allowWrites: false });
  onTestFinished(close);
  const reads = (await client.listTools()).tools.map(({ name, description = "" }) => ({ name, description }));
  const local = toolBench().tools.filter(({ name }) => LOCAL_TOOLS.some((known) => known === name));
  return [...reads, ...local];
}
const naiveTools = Object.entries(naive).map(([name, description]) => ({ name, description }));

describe("the labelled requests", () => {
  it("are at least forty of each language, half of them in customers' words, a third held out", () => {
    for (const language of ["en", "zh"]) {
      const own = requests.filter((entry) => entry.language === language);
      expect(own.length).toBeGreaterThanOrEqual(40);
      expect(own.filter(({ style }) => style === "customer").length).toBeGreaterThanOrEqual(own.length / 2);
      expect(own.filter(({ split }) => split === "held_out")).toHaveLength(own.length / 3);
    }
  });

  it("ask for every one of the twelve, and name none", () => {
    expect(new Set(requests.map(({ tool }) => tool))).toEqual(new Set(Object.keys(naive)));
    expect(Object.keys(naive)).toHaveLength(12);
    for (const { request } of requests) expect(Object.keys(naive).filter((name) => request.includes(name))).toEqual([]);
  });
});

describe("eval routing", () => {
  it("finds the right tool by the real descriptions, rarely by naive ones, and hardly ever by those of other tools", async () => {
    const run = await createWorkspace().inProcess(["--json", "eval", "routing"]);
    expect(run.code, run.stderr).toBe(0);
    const report = Report.parse(jsonOf(run));
    expect(report.requests).toHaveLength(requests.length);
    expect(figureOf(report, "real").rightShare).toBeGreaterThanOrEqual(0.9);
    for (const language of ["en", "zh"])
      expect(figureOf(report, "real", language).rightShare).toBeGreaterThanOrEqual(0.9);
    expect(figureOf(report, "real", "all", "held_out").rightShare).toBeGreaterThanOrEqual(0.85);
    const hasty = figureOf(report, "naive");
    expect((hasty.ambiguous + hasty.wrong) / hasty.requests).toBeGreaterThanOrEqual(0.5);
    expect(figureOf(report, "permuted").rightShare).toBeLessThan(0.4);
    const headline = report.requests.find(({ request }) => request === "check order QH-1001 status");
    expect(headline).toMatchObject({ chosen: ["get_order"], verdict: "right" });
    for (const figure of report.figures)
      expect(figure).toMatchObject({ version: report.version, dataHash: report.dataHash });
    expect(report.live).toEqual([]);
  });

  it("prints a line per figure and per missed request, each with version, data hash and date", async () => {
    const run = await createWorkspace().inProcess(["eval", "routing"]);
    const lines = run.stdout.trim().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(27);
    for (const line of lines)
      expect(line).toMatch(/ {2}\[\d+\.\d+\.\d+, data [0-9a-f]{12}, \d{4}-\d\d-\d\dT[\d:.]+Z\]$/);
  });

  it("lets the configured model choose by the same descriptions, and counts what it asked for", async () => {
    const server = await startModelServer();
    const [doubled, silent, mistaken] = requests.map(({ request }) => request);
    server.answer(({ body }, count) => {
      const user = z.strictObject({ request: z.string() }).parse(JSON.parse(String(body.messages.at(-1)?.content)));
      const right = {
        id: `c${count}`,
        name: requests.find(({ request }) => request === user.request)?.tool ?? "",
        args: {},
      };
      if (user.request === silent) return completion({ content: "None of them." });
      if (user.request === doubled) return toolCalls(right, { id: "second", name: "get_invoice", args: {} });
      return toolCalls(user.request === mistaken ? { ...right, name: "get_ticket" } : right);
    });
    const config = readConfig({ AFTERSALES_API_KEY: "k", AFTERSALES_MODEL: "m", AFTERSALES_BASE_URL: server.url });
    const run = await createWorkspace().inProcess(["--json", "--model", "live", "eval", "routing", "--run-live"], {
      config,
    });
    const report = Report.parse(jsonOf(run));
    expect(figureOf(report, "live model")).toMatchObject({ right: requests.length - 3, ambiguous: 2, wrong: 1 });
    expect(figureOf(report, "real").rightShare).toBeGreaterThanOrEqual(0.9);
    expect(server.requests).toHaveLength(requests.length);
    for (const { body } of server.requests) {
      expect(body.tools?.map(({ function: { name } }) => name).sort()).toEqual(Object.keys(naive).sort());
      for (const name of Object.keys(naive)) expect(String(body.messages[0]?.content)).not.toContain(name);
    }
  });

  it("says what is missing when the model is to choose and none is configured", async () => {
    const config = readConfig({});
    const run = await createWorkspace().inProcess(["--model", "live", "eval", "routing", "--run-live"], { config });
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("(model_not_configured)");
  });
});

describe("the scorer", () => {
  it("cannot tell siblings apart by naive descriptions", () => {
    const { chosen } = createToolRouter(naiveTools, vocabulary)("check order QH-1001 status");
    expect(chosen.length).toBeGreaterThan(1);
    expect(chosen).toContain("get_order");
  });

  it("knows nothing of any tool but its text: under other names the same texts win", () => {
    const text = (word: string): string =>
      `Reads the ${word}. WHEN TO USE: about the ${word}. WHEN NOT TO USE: otherwise. RETURNS: it.`;
    const tools = [
      { name: "one_thing", description: text("invoice") },
      { name: "other_thing", description: text("parcel") },
    ];
    const route = createToolRouter(tools, vocabulary);
    expect(route("where is my parcel").chosen).toEqual(["other_thing"]);
    expect(route("我的包裹").chosen).toEqual(["other_thing"]);
    expect(route("发票").chosen).toEqual(["one_thing"]);
    expect(route("fish").chosen).toEqual([]);
  });

  it("reads a boundary as the sibling's ground and not as the tool's own", () => {
    const tools = [
      {
        name: "read_one",
        description: "Reads a record. WHEN NOT TO USE: for the parcel, use read_other. RETURNS: it.",
      },
      { name: "read_other", description: "Reads a record. WHEN NOT TO USE: for the bill, use read_one. RETURNS: it." },
    ];
    const route = createToolRouter(tools, vocabulary);
    expect(route("the parcel").chosen).toEqual(["read_other"]);
    expect(route("the bill").chosen).toEqual(["read_one"]);
    expect(route("a record").chosen).toEqual(["read_one", "read_other"]);
  });

  it.each<[string, string[]]>([
    ["check order 12345 status", ["get_order", "list_orders"]],
    ["order status and the customer's email", ["get_order", "list_orders"]],
    ["the customer's order status", ["get_order", "list_orders"]],
    ["email me when order QH-1005 ships", ["get_shipment"]],
    ["I want my money back for my order", ["calculate_refund"]],
    ["order order order QH-1001 status status", ["get_order"]],
    ["check order qh\u20131001 status", ["get_order"]],
    ["查一下我的订单", ["list_orders"]],
  ])("leads %j to one tool that can help, however it is put", async (request, good) => {
    const { chosen } = createToolRouter(await realTools(), vocabulary)(request);
    expect(chosen).toHaveLength(1);
    expect(good).toEqual(expect.arrayContaining(chosen));
  });

  it("names no tool in its own text", () => {
    const source = readFileSync(join(ROOT, "src", "adapters", "tool-router.ts"), "utf8");
    for (const name of Object.keys(naive)) expect(source).not.toContain(name);
  });
});
