/** A local OpenAI-compatible endpoint: records each request as it came over the wire and answers from a queue or a function. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { z } from "zod";

const Wire = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
});
export type WireBody = z.infer<typeof Wire>;
export type WireRequest = { path: string; headers: IncomingHttpHeaders; body: WireBody };

export type Reply =
  | { json: unknown; status?: number }
  | { raw: string; contentType?: string }
  /** Closes the connection without a word. */
  | { reset: true }
  | { redirectTo: string }
  /** Never answers; with `headers` it sends those and then a blank now and then. */
  | { silent: "nothing" | "drip" };

export type ModelServer = {
  url: string;
  requests: WireRequest[];
  /** Answers in this order; after the last one every request is answered with 500. */
  queue: Reply[];
  /** Decides instead of the queue. */
  answer: (decide: (request: WireRequest, count: number) => Reply) => void;
};

export async function startModelServer(): Promise<ModelServer> {
  const requests: WireRequest[] = [];
  const queue: Reply[] = [];
  let decide: ((request: WireRequest, count: number) => Reply) | undefined;
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Wire.parse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
      const request = { path: incoming.url ?? "", headers: incoming.headers, body };
      requests.push(request);
      const reply = decide?.(request, requests.length) ??
        queue.shift() ?? { status: 500, json: { error: "queue empty" } };
      send(reply, response);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    queue,
    answer: (given) => {
      decide = given;
    },
  };
}

function send(reply: Reply, response: ServerResponse): void {
  if ("reset" in reply) {
    response.socket?.destroy();
  } else if ("redirectTo" in reply) {
    response.writeHead(307, { location: reply.redirectTo }).end();
  } else if ("silent" in reply) {
    if (reply.silent === "nothing") return;
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  } else if ("raw" in reply) {
    response.writeHead(200, { "content-type": reply.contentType ?? "application/json" }).end(reply.raw);
  } else {
    response.writeHead(reply.status ?? 200, { "content-type": "application/json" }).end(JSON.stringify(reply.json));
  }
}

/** A chat completion whose message has `changes` over an empty assistant message. */
export function completion(
  changes: Record<string, unknown>,
  options: { finish?: string; usage?: Record<string, unknown> | null } = {},
): Reply {
  const { finish = "stop", usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } } = options;
  return {
    json: {
      id: "cmpl-1",
      object: "chat.completion",
      created: 1,
      model: "scripted",
      choices: [
        { index: 0, message: { role: "assistant", content: "", ...changes }, finish_reason: finish, logprobs: null },
      ],
      ...(usage === null ? {} : { usage }),
    },
  };
}

/** A completion that asks for tools. */
export function toolCalls(...calls: { id: string; name: string; args: unknown }[]): Reply {
  const tool_calls = calls.map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  }));
  return completion({ content: null, tool_calls }, { finish: "tool_calls" });
}
