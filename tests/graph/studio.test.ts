import { readdirSync, readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { moneyOf, PAID_ONCE, UNPAID } from "../support/graph-case.js";
import { startModelServer } from "../support/model-server.js";
import { scripted } from "../support/scripted-endpoint.js";
import {
  ASK,
  type Asked,
  answerOn,
  askOn,
  clientOf,
  continueOn,
  GRAPH,
  outcomeOn,
  questionIn,
} from "../support/studio-client.js";
import {
  freePort,
  processesOf,
  runStudio,
  type StudioServer,
  startStudio,
  studioPlace,
} from "../support/studio-server.js";
import { ROOT } from "../support/workspace.js";

const place = studioPlace();
const { workspace } = place;
afterAll(place.remove);

/** The status of a POST as a browser sends it from a page, without asking first. */
function postFrom(server: StudioServer, headers: Record<string, string>): Promise<number> {
  return new Promise((done, fail) => {
    const sent = request(`${server.url}/threads`, {
      method: "POST",
      headers: { "content-type": "text/plain", ...headers },
    });
    sent.on("response", (response) => {
      response.resume();
      done(response.statusCode ?? 0);
    });
    sent.on("error", fail);
    sent.end("{}");
  });
}

describe("npm run studio", () => {
  it("says so when its port is taken, and which command to try", async () => {
    const port = await freePort();
    const other = createServer().listen(port, "127.0.0.1");
    onTestFinished(() => void other.close());
    const run = await runStudio(place, ["--port", String(port)]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`Port ${port} is in use`);
    expect(run.stderr).toContain(`npm run studio -- --port ${port + 1}`);
    expect(run.stderr).not.toContain("    at ");
  });

  it.each([["--port", "many"], ["--tunnel"], ["--host", "0.0.0.0"]])("refuses %s %s", async (...args) => {
    const run = await runStudio(place, args);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("(usage)");
    expect(run.stderr).not.toContain("    at ");
  });
});

describe("a local server without a named reviewer", () => {
  let server: StudioServer;
  let asked: Asked;
  const before = readdirSync(place.folder);

  beforeAll(async () => {
    server = await startStudio(place);
    asked = await askOn(clientOf(server.url));
  });

  it("says who questions count as, and that approving is refused", () => {
    expect(server.said()).toContain("Questions count as alice's");
    expect(server.said()).toContain("set AFTERSALES_STUDIO_REVIEWER=chen and start again");
  });

  it("draws the phases and both loops, and takes a question and a language", async () => {
    const client = clientOf(server.url);
    const [assistant] = await client.assistants.search();
    const id = assistant?.assistant_id ?? "";
    const drawn = (await client.assistants.getGraph(id, { xray: true })).nodes.map((node) => String(node.id));
    for (const node of ["intake", "plan", "investigate:think", "investigate:act", "review:compose", "review:critique"])
      expect(drawn).toContain(node);
    for (const node of ["deliver", "approve", "settle"]) expect(drawn).toContain(node);
    const { input_schema: input } = await client.assistants.getSchemas(id);
    expect(Object.keys(input?.properties ?? {})).toEqual(["question", "language"]);
  });

  it("shows at the interrupt what is proposed, what is missing and which JSON to answer with", () => {
    const { value } = asked;
    expect(value.summary).toBe("QH-1001, CNY 129.00");
    expect(value.missing).toContain("by a reviewer of qinghe other than alice. Nothing has been paid.");
    expect(value.proposal).toMatchObject({ amountCents: 12_900, digest: value.digest });
    expect(value.answerWith).toMatchObject({ decision: "approve", digest: value.digest });
    expect(value).toMatchObject({ refusal: null, refusalReason: null });
  });

  it("keeps a state that a person can read: no value longer than a paragraph", async () => {
    const { values } = await clientOf(server.url).threads.getState(asked.threadId);
    const lengths: number[] = [];
    JSON.stringify(values, (_key, value: unknown) => {
      if (typeof value === "string") lengths.push(value.length);
      return value;
    });
    expect(Math.max(...lengths)).toBeLessThan(1_000);
    expect(await outcomeOn(clientOf(server.url), asked.threadId)).toMatchObject({ status: "waiting_approval" });
  });

  it("refuses to approve in any name, with advice, and keeps waiting", async () => {
    for (const by of ["chen", "alice"]) {
      const answer = { decision: "approve", digest: asked.value.digest, by };
      const again = questionIn(await answerOn(clientOf(server.url), asked, answer));
      expect(again.value.refusal).toBe("not_reviewer");
      expect(again.value.refusalReason).toContain("Only a reviewer of this merchant can approve");
      expect(again.value.signing).toContain("set AFTERSALES_STUDIO_REVIEWER");
      asked = { ...asked, id: again.id };
    }
    expect(workspace.query("application", "select state, grant_jws from approvals")).toEqual([
      { state: "pending", grant_jws: null },
    ]);
    expect(moneyOf(workspace)).toEqual(UNPAID);
  });

  it("serves Studio and pages of this machine, and no other page", async () => {
    const origins = ["https://smith.langchain.com", "http://localhost:3000", `http://127.0.0.1:${server.port}`];
    for (const origin of origins) {
      const asking = { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } };
      const answer = await fetch(`${server.url}/threads`, asking);
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(await postFrom(server, { origin })).toBe(200);
    }
    for (const origin of [
      "https://evil.example",
      "https://smith.langchain.com.evil.example",
      "http://localhost.evil.example",
      "null",
    ]) {
      const asking = { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } };
      expect((await fetch(`${server.url}/threads`, asking)).headers.get("access-control-allow-origin")).toBeNull();
      expect(await postFrom(server, { origin })).toBe(403);
    }
    expect(await postFrom(server, { host: "evil.example" })).toBe(403);
  });

  it("sends a run's state to nobody and keeps no store", async () => {
    const client = clientOf(server.url);
    const webhook = "https://evil.example/take";
    await expect(client.runs.wait(asked.threadId, "qinghe", { input: null, webhook })).rejects.toThrow(/webhook/);
    await expect(client.store.putItem(["notes"], "one", { text: "x" })).rejects.toThrow(/404/);
  });

  it("ends with everything it started and writes only its threads and its state", async () => {
    expect(processesOf(server).length).toBeGreaterThan(0);
    await server.stop();
    expect(processesOf(server)).toEqual([]);
    expect(readdirSync(place.folder).filter((name) => !before.includes(name))).toEqual([".langgraph_api", "state"]);
    expect(readFileSync(join(place.folder, ".gitignore"), "utf8")).toBe(readFileSync(join(ROOT, ".gitignore"), "utf8"));
  });
});

describe("the same folder served again with a named reviewer", () => {
  let server: StudioServer;
  let asked: Asked;

  beforeAll(async () => {
    server = await startStudio(place, { env: { AFTERSALES_STUDIO_REVIEWER: "chen" } });
    const client = clientOf(server.url);
    const [thread] = await client.threads.search({ status: "interrupted" });
    const state = await client.threads.getState(thread?.thread_id ?? "");
    asked = {
      threadId: thread?.thread_id ?? "",
      ...questionIn({ __interrupt__: state.tasks.flatMap((task) => task.interrupts) }),
    };
  });
  afterAll(() => server?.stop());

  it("shows the waiting case as it was", () => {
    expect(asked.value.refusal).toBe("not_reviewer");
  });

  it("refuses the applicant's own approval, records the reviewer's, and pays only when continued", async () => {
    const client = clientOf(server.url);
    const own = { decision: "approve", digest: asked.value.digest, by: "alice" };
    const again = questionIn(await answerOn(client, asked, own));
    expect(again.value.refusal).toBe("not_reviewer");
    expect(again.value.signing).toContain('signed "chen" count as that reviewer\'s');
    expect(again.value.answerWith).toEqual({ decision: "approve", digest: asked.value.digest, by: "chen" });

    await answerOn(client, { ...asked, id: again.id }, again.value.answerWith);
    expect(await outcomeOn(client, asked.threadId)).toMatchObject({ status: "queued", receiptId: null });
    expect((await client.threads.getState(asked.threadId)).next).toEqual(["settle"]);
    expect(workspace.query("application", "select state, reviewer from approvals")).toEqual([
      { state: "approved", reviewer: "chen" },
    ]);
    expect(moneyOf(workspace)).toEqual(UNPAID);

    await continueOn(client, asked.threadId);
    const outcome = await outcomeOn(client, asked.threadId);
    expect(outcome).toMatchObject({ status: "completed", receiptId: `SIM-${asked.value.proposal.caseId}-1` });
    expect(outcome.next).toContain("SIMULATED");
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });
});

describe("a local server with a live model", () => {
  it("asks the configured endpoint, without streaming and without telling the key to any client", async () => {
    const model = await startModelServer();
    model.answer(scripted);
    const own = studioPlace();
    onTestFinished(own.remove);
    const key = "sk-live-0123456789abcdef";
    const settings = { AFTERSALES_API_KEY: key, AFTERSALES_MODEL: "deepseek-chat", AFTERSALES_BASE_URL: model.url };
    const live = await startStudio(own, { env: settings });
    onTestFinished(() => live.stop());
    const client = clientOf(live.url);
    const { thread_id: threadId } = await client.threads.create();
    // Watching messages is what turns a model request into a streamed one.
    const watched = client.runs.stream(threadId, GRAPH, { input: ASK, streamMode: ["messages-tuple", "values"] });
    const events: string[] = [];
    for await (const { event } of watched) events.push(event);
    expect(events).toContain("messages");
    const { tasks } = await client.threads.getState(threadId);
    const { value } = questionIn({ __interrupt__: tasks.flatMap(({ interrupts }) => interrupts) });
    expect(value.summary).toBe("QH-1001, CNY 129.00");
    expect(own.workspace.query("application", "select model from cases")).toEqual([{ model: "deepseek-chat" }]);
    expect(model.requests.length).toBeGreaterThan(3);
    expect(model.requests.some(({ body }) => body.stream === true)).toBe(false);
    const told = [await client.threads.getState(threadId), await client.threads.getHistory(threadId), live.said()];
    expect(JSON.stringify(told)).not.toContain(key);
  });

  it("without a key fails with what to set, opens no case and stays usable", async () => {
    const own = studioPlace();
    onTestFinished(own.remove);
    const live = await startStudio(own, { env: { AFTERSALES_MODEL: "deepseek-chat" } });
    onTestFinished(() => live.stop());
    const client = clientOf(live.url);
    for (let round = 0; round < 2; round += 1) {
      await expect(askOn(client)).rejects.toThrow(/AFTERSALES_API_KEY is not set.*\(model_not_configured\)/);
    }
    expect(own.workspace.query("application", "select count(*) as count from cases")).toEqual([{ count: 0 }]);
  });
});
