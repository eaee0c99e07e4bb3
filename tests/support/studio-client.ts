/** What tests send to the development server and read back: the SDK's client, and the shapes they rely on. */
import { Client } from "@langchain/langgraph-sdk";
import { z } from "zod";

export const GRAPH = "qinghe";
export const ASK = { question: "Please refund QH-1001.", language: "en" };

export const WaitingValue = z.looseObject({
  kind: z.literal("refund_approval"),
  summary: z.string(),
  missing: z.string(),
  digest: z.string(),
  refusal: z.string().nullable(),
  refusalReason: z.string().nullable(),
  answerWith: z.strictObject({ decision: z.string(), digest: z.string(), by: z.string() }),
  signing: z.string(),
  proposal: z.looseObject({ caseId: z.string(), amountCents: z.int(), digest: z.string() }),
});
const Question = z.looseObject({ id: z.string(), value: WaitingValue });
const Interrupted = z.looseObject({ __interrupt__: z.tuple([Question]) });

export type Asked = { threadId: string; id: string; value: z.infer<typeof WaitingValue> };

/** A client without retries: a refused request must be seen at once. */
export function clientOf(url: string, headers: Record<string, string> = {}): Client {
  return new Client({ apiUrl: url, defaultHeaders: headers, callerOptions: { maxRetries: 0 } });
}

/** Starts a thread with a refund request and runs it to its interrupt. */
export async function askOn(client: Client, input: Record<string, unknown> = ASK): Promise<Asked> {
  const { thread_id: threadId } = await client.threads.create();
  const run = await client.runs.wait(threadId, GRAPH, { input });
  return { threadId, ...questionIn(run) };
}

/** Answers the waiting question; returns the question that follows, or the final values. */
export function answerOn(client: Client, { threadId, id }: Asked, value: unknown): Promise<unknown> {
  return client.runs.wait(threadId, GRAPH, { command: { resume: { [id]: value } } });
}

/** A run without input: goes on from where the thread stands. */
export function continueOn(client: Client, threadId: string): Promise<unknown> {
  return client.runs.wait(threadId, GRAPH, { input: null });
}

/** The one question a run ended with. */
export function questionIn(run: unknown): z.infer<typeof Question> {
  return Interrupted.parse(run).__interrupt__[0];
}

const Outcome = z.looseObject({
  outcome: z.looseObject({ status: z.string(), next: z.string(), receiptId: z.string().nullable() }),
});

/** Where the thread's state says the case stands. */
export async function outcomeOn(client: Client, threadId: string): Promise<z.infer<typeof Outcome>["outcome"]> {
  return Outcome.parse((await client.threads.getState(threadId)).values).outcome;
}

/** What anybody may try: it may be refused or fail, and must change nothing. */
export async function attempt(work: Promise<unknown>): Promise<void> {
  await work.catch(() => undefined);
}
