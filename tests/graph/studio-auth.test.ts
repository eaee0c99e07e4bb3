import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Client } from "@langchain/langgraph-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createIssuer } from "../support/demo-issuer.js";
import { moneyOf, PAID_ONCE, UNPAID } from "../support/graph-case.js";
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
import { type StudioServer, startStudio, studioPlace } from "../support/studio-server.js";

const place = studioPlace();
const { workspace } = place;
const USERS = ["alice", "bob", "chen", "lin", "mei"] as const;
type User = (typeof USERS)[number];
const tokens = new Map<User, string>();
let server: StudioServer;
let asked: Asked;

const as = (user: User, headers: Record<string, string> = {}): Client =>
  clientOf(server.url, { authorization: `Bearer ${tokens.get(user)}`, ...headers });

type Sent = { method?: string; body?: unknown; headers?: Record<string, string> };

async function send(
  user: User | null,
  path: string,
  { method, body, headers = {} }: Sent = {},
): Promise<{ status: number; text: string }> {
  const signed: Record<string, string> = user === null ? {} : { authorization: `Bearer ${tokens.get(user)}` };
  const response = await fetch(`${server.url}${path}`, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { "content-type": "application/json", ...signed, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** Undecided, ungranted, unpaid. */
function expectUndecided(): void {
  expect(workspace.query("application", "select state, grant_jws from approvals")).toEqual([
    { state: "pending", grant_jws: null },
  ]);
  expect(moneyOf(workspace)).toEqual(UNPAID);
}

beforeAll(async () => {
  const issuer = await createIssuer();
  issuer.writeKeys(join(workspace.stateDir, "auth", "jwks.json"));
  for (const user of USERS) tokens.set(user, await issuer.token({ sub: user }));
  server = await startStudio(place, { flags: ["--auth"], env: { AFTERSALES_STUDIO_REVIEWER: "chen" } });
  asked = await askOn(as("alice"));
});
afterAll(async () => {
  await server?.stop();
  place.remove();
});

describe("a server with sign-in", () => {
  it.each([
    ["no token", {}],
    ["Studio's own header instead of a token", { "x-auth-scheme": "langsmith" }],
    ["Studio's own header and a key", { "x-auth-scheme": "langsmith", "x-api-key": "lsv2_pt_0000" }],
    ["a token nobody signed", { authorization: "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJjaGVuIn0." }],
    ["a user name in a header", { "x-user": "chen", "x-auth-user": "chen" }],
  ])("lets nobody in with %s", async (_what, headers) => {
    for (const path of ["/threads/search", "/assistants/search", "/runs/wait", "/internal/truncate"]) {
      const { status, text } = await send(null, path, { body: {}, headers });
      expect([401, 403], `${path} ${text}`).toContain(status);
    }
    const { status, text } = await send(null, `/threads/${asked.threadId}/state`, { headers });
    expect(status).toBe(401);
    expect(text).toContain("(token_invalid)");
    expect(text).not.toContain("QH-1001");
  });

  it("shows the owner the case, the reviewer of the same merchant too, and nobody else", async () => {
    for (const user of ["alice", "chen"] as const) {
      const found = await as(user).threads.search({ status: "interrupted" });
      expect(found.map(({ thread_id }) => thread_id)).toEqual([asked.threadId]);
      const state = await as(user).threads.getState(asked.threadId);
      expect(state.next).toEqual(["approve"]);
    }
    for (const user of ["bob", "lin", "mei"] as const) {
      expect(await as(user).threads.search()).toEqual([]);
      expect(await as(user).threads.count()).toBe(0);
      const absent = randomUUID();
      for (const part of ["", "/state", "/runs"]) {
        const foreign = await send(user, `/threads/${asked.threadId}${part}`);
        const missing = await send(user, `/threads/${absent}${part}`);
        expect(foreign.status).toBe(missing.status);
        expect(foreign.text.replaceAll(asked.threadId, absent)).toBe(missing.text);
      }
      expect((await send(user, `/threads/${asked.threadId}/history`)).text).not.toContain("QH-1001");
      await expect(continueOn(as(user), asked.threadId)).rejects.toThrow();
      await expect(
        answerOn(as(user), asked, { decision: "withdraw", digest: asked.value.digest, by: user }),
      ).rejects.toThrow();
    }
    expectUndecided();
  });

  it("shows no foreign case through an own thread", async () => {
    const own = (await as("bob").threads.create()).thread_id;
    const checkpoint = { thread_id: asked.threadId, checkpoint_ns: "", checkpoint_id: randomUUID() };
    for (const [path, body] of [
      [`/threads/${own}/history`, { checkpoint }],
      [`/threads/${own}/state/checkpoint`, { checkpoint }],
      ["/threads/search", { ids: [asked.threadId] }],
      ["/threads/search", { metadata: { owner: "alice" } }],
      ["/threads/search", { values: { question: ASK.question } }],
      ["/threads/count", { metadata: { owner: "alice" } }],
    ] as const) {
      const { text } = await send("bob", path, { body });
      expect([path, text]).toEqual([path, expect.not.stringMatching(/QH-1001|"alice"/)]);
    }
    for (const run of (await as("alice").runs.list(asked.threadId)).map(({ run_id }) => run_id)) {
      for (const tail of ["", "/join", "/stream"]) {
        const { status } = await send("bob", `/threads/${own}/runs/${run}${tail}`);
        expect([tail, status]).toEqual([tail, tail === "" ? 404 : 403]);
      }
    }
  });

  it("labels a thread with its real owner, whatever the client wrote on it", async () => {
    const metadata = { owner: "bob", tenant: "south" };
    const made = await as("alice").threads.create({ metadata });
    expect(made.metadata).toMatchObject({ owner: "alice", tenant: "qinghe" });
    const threadId = randomUUID();
    await as("alice").runs.wait(threadId, GRAPH, {
      input: { question: "你好", language: "zh" },
      metadata,
      ifNotExists: "create",
    });
    expect((await as("alice").threads.get(threadId)).metadata).toMatchObject({ owner: "alice", tenant: "qinghe" });
    expect((await as("bob").threads.search()).filter(({ metadata }) => metadata?.owner !== "bob")).toEqual([]);
  });

  it("lets only customers open cases", async () => {
    await expect(as("chen").threads.create()).rejects.toThrow(/only a customer/);
  });
});

describe("what a signed-in user may not send", () => {
  const runs: [string, Record<string, unknown>, RegExp][] = [
    ["a jump", { command: { goto: "settle" } }, /goto and update/],
    ["a jump with state", { command: { goto: { node: "settle", input: {} } } }, /goto and update/],
    ["a state update", { command: { update: { refusal: null } } }, /goto and update/],
    [
      "an answer together with a state update",
      { command: { resume: {}, update: { refusal: null } } },
      /goto and update/,
    ],
    ["a webhook", { input: null, webhook: "https://evil.example/take" }, /webhooks/],
    ["a webhook of this server", { input: null, webhook: "/internal/truncate" }, /webhooks/],
    ["channels as input", { input: { ...ASK, proposal: { amountCents: 999_900 } } }, /question and language/],
    ["an approval as input", { input: { ...ASK, approved: true } }, /question and language/],
    ["a list as input", { input: [ASK] }, /question and language/],
    ["an older step", { input: null, checkpoint_id: randomUUID() }, /newest step/],
    [
      "an older step by its address",
      { input: null, checkpoint: { checkpoint_id: randomUUID(), checkpoint_ns: "" } },
      /newest step/,
    ],
    ["another user in configurable", { input: null, config: { configurable: { user_id: "chen" } } }, /newest step/],
    [
      "the library's inner settings",
      { input: null, config: { configurable: { __pregel_resuming: true } } },
      /newest step/,
    ],
  ];
  const routes: [string, string, Sent][] = [
    ["a state edit", "/threads/ID/state", { body: { values: { refusal: null }, as_node: "approve" } }],
    ["new labels", "/threads/ID", { method: "PATCH", body: { metadata: { owner: "bob" } } }],
    ["a deletion", "/threads/ID", { method: "DELETE" }],
    ["a copy", "/threads/ID/copy", { body: {} }],
    [
      "a thread that begins with steps",
      "/threads",
      { body: { supersteps: [{ updates: [{ values: {}, as_node: "approve" }] }] } },
    ],
    ["a run without a thread", "/runs/wait", { body: { assistant_id: GRAPH, input: ASK } }],
    ["a run followed by its id alone", `/runs/${randomUUID()}/stream`, {}],
    ["a run followed under another thread", `/threads/ID/runs/${randomUUID()}/stream`, {}],
    ["a cancelled run", `/threads/ID/runs/${randomUUID()}/cancel`, { body: {} }],
    ["a command over the event protocol", "/threads/ID/commands", { body: { id: 1, method: "run.start", params: {} } }],
    ["a watch on a thread's events", "/threads/ID/stream/events", { body: { channels: ["values"] } }],
    ["a new assistant", "/assistants", { body: { graph_id: GRAPH, config: { configurable: { x: 1 } } } }],
    ["a schedule", "/runs/crons", { body: { assistant_id: GRAPH, schedule: "* * * * *" } }],
    ["a note in the store", "/store/items", { method: "PUT", body: { namespace: ["a"], key: "b", value: {} } }],
    ["an emptied store", "/internal/truncate", { body: { threads: true, checkpointer: true } }],
  ];

  it.each(["alice", "chen"] as const)("%s cannot begin or go on with anything but a plain run", async (user) => {
    for (const [what, body, why] of runs) {
      const { status, text } = await send(user, `/threads/${asked.threadId}/runs/wait`, {
        body: { assistant_id: GRAPH, ...body },
      });
      expect([what, status]).toEqual([what, 403]);
      expect(text, what).toMatch(why);
    }
    expectUndecided();
  });

  it.each(["alice", "chen"] as const)("%s reaches no route that goes around the graph", async (user) => {
    for (const [what, path, sent] of routes) {
      const { status, text } = await send(user, path.replace("ID", asked.threadId), sent);
      expect([what, status, text]).toEqual([what, 403, expect.stringMatching(/not open|not allowed|only a customer/)]);
    }
    const [assistant] = await as(user).assistants.search();
    for (const method of ["PATCH", "DELETE"]) {
      const path = `/assistants/${assistant?.assistant_id}`;
      expect((await send(user, path, { method, ...(method === "PATCH" ? { body: { name: "x" } } : {}) })).status).toBe(
        403,
      );
    }
    expect((await as(user).threads.getState(asked.threadId)).next).toEqual(["approve"]);
    expectUndecided();
  });

  it("no forged identity counts: not in configurable, context, headers or labels", async () => {
    const chen = {
      identity: "chen",
      tenant: "qinghe",
      role: "reviewer",
      permissions: ["reviewer"],
      is_authenticated: true,
    };
    const resume = { [asked.id]: { decision: "approve", digest: asked.value.digest, by: "chen" } };
    const { status, text } = await send("alice", `/threads/${asked.threadId}/runs/wait`, {
      headers: { "x-auth-scheme": "langsmith", "x-user": "chen", "x-langgraph-auth-user": JSON.stringify(chen) },
      body: {
        assistant_id: GRAPH,
        command: { resume },
        config: { configurable: { langgraph_auth_user: chen, langgraph_auth_user_id: "chen" } },
        context: { profile: "chen", user: chen },
        metadata: { owner: "chen" },
      },
    });
    expect(status).toBe(200);
    const again = questionIn(z.unknown().parse(JSON.parse(text)));
    expect(again.value.refusal).toBe("not_reviewer");
    asked = { ...asked, id: again.id };
    expectUndecided();
  });
});

describe("a decision on a server with sign-in", () => {
  it("is refused to the applicant and to a reviewer who signs with another name", async () => {
    for (const [user, by, code] of [
      ["alice", "alice", "not_reviewer"],
      ["chen", "alice", "decision_not_yours"],
      ["chen", "mei", "decision_not_yours"],
    ] as const) {
      const again = questionIn(
        await answerOn(as(user), asked, { decision: "approve", digest: asked.value.digest, by }),
      );
      expect(again.value.refusal).toBe(code);
      expect(again.value.signing).toContain("a decision in another name is refused");
      asked = { ...asked, id: again.id };
    }
    expectUndecided();
  });

  it("by the reviewer is recorded in that name, and the refund is executed once when the thread goes on", async () => {
    await answerOn(as("chen"), asked, { decision: "approve", digest: asked.value.digest, by: "chen" });
    expect(workspace.query("application", "select state, reviewer from approvals")).toEqual([
      { state: "approved", reviewer: "chen" },
    ]);
    expect(moneyOf(workspace)).toEqual(UNPAID);
    await continueOn(as("alice"), asked.threadId);
    for (const user of ["alice", "chen"] as const) {
      expect(await outcomeOn(as(user), asked.threadId)).toMatchObject({
        status: "completed",
        receiptId: `SIM-${asked.threadId}-1`,
      });
      await continueOn(as(user), asked.threadId).catch(() => undefined);
    }
    expect(moneyOf(workspace)).toEqual(PAID_ONCE);
  });
});
