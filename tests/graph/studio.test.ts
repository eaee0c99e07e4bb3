import { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type StudioServer, startStudio } from "../support/studio-server.js";
import { workspaceAt } from "../support/workspace.js";

const Interrupted = z.looseObject({
  __interrupt__: z.tuple([
    z.looseObject({
      id: z.string(),
      value: z.looseObject({
        proposal: z.looseObject({ amountCents: z.int(), digest: z.string() }),
        refusal: z.unknown(),
      }),
    }),
  ]),
});

describe("the graph under the LangGraph development server", () => {
  let server: StudioServer | undefined;
  const running = (): StudioServer => {
    if (server === undefined) throw new Error("the server is not running");
    return server;
  };
  let client: Client;

  beforeAll(async () => {
    server = await startStudio();
    client = new Client({ apiUrl: server.url });
  }, 180_000);
  afterAll(() => server?.stop());

  it("is listed with both its loops", async () => {
    const [assistant] = await client.assistants.search();
    const drawn = await client.assistants.getGraph(assistant?.assistant_id ?? "", { xray: true });
    const nodes = drawn.nodes.map(({ id }) => String(id));
    for (const node of [
      "intake",
      "investigate:think",
      "investigate:act",
      "review:compose",
      "review:critique",
      "settle",
    ]) {
      expect(nodes).toContain(node);
    }
  });

  it("runs a case to its interrupt, and approving without a configured reviewer is refused with a visible reason", async () => {
    const thread = await client.threads.create();
    const input = { question: "Please refund QH-1001.", language: "en" };
    const first = Interrupted.parse(await client.runs.wait(thread.thread_id, "qinghe", { input }));
    const [{ id, value }] = first.__interrupt__;
    expect(value.proposal.amountCents).toBe(12900);
    const resume = { [id]: { decision: "approve", digest: value.proposal.digest, by: "chen" } };
    const second = Interrupted.parse(await client.runs.wait(thread.thread_id, "qinghe", { command: { resume } }));
    expect(second.__interrupt__[0].value.refusal).toBe("not_reviewer");
    const workspace = workspaceAt(running().stateDir);
    expect(workspace.query("commerce", "select count(*) as receipts from receipts")).toEqual([{ receipts: 0 }]);
    expect(workspace.query("application", "select state, grant_jws from approvals")).toEqual([
      { state: "pending", grant_jws: null },
    ]);
  });

  it("a jump to settle with forged state pays nothing", async () => {
    const thread = await client.threads.create();
    const forged = {
      proposal: { amountCents: 999900 },
      answer: { answer: "paid", citations: [], nextAction: "request_refund" },
    };
    await client.runs
      .wait(thread.thread_id, "qinghe", { command: { goto: { node: "settle", input: forged }, update: forged } })
      .catch(() => undefined);
    expect(workspaceAt(running().stateDir).query("commerce", "select count(*) as receipts from receipts")).toEqual([
      { receipts: 0 },
    ]);
  });
});
