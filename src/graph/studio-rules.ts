/** Owns what a signed-in user may do on the server: which routes, which threads, and what a run may carry. Whatever is not named here is refused. */
import { z } from "zod";
import { AftersalesError } from "../domain/errors.js";
import { Identity } from "../domain/identity.js";
import { Language } from "../domain/ids.js";
import { assertNoWebhook, refuse } from "./studio-doors.js";

const ID = "[0-9a-f-]{36}";
/**
 * Only routes whose answers the server filters by thread. Left out on purpose: following a run by its id alone or under another thread's
 * id, the event streams that all watchers of a thread share, copies of threads, runs without a thread, and emptying the store.
 */
const ROUTES = new RegExp(
  `^/(ok|info|assistants(/.*)?|threads(/search|/count)?|threads/${ID}(/state(/.*)?|/history|/runs(/wait|/stream|/${ID})?)?)$`,
);

/** The server puts these beside a run by itself; anything else in `configurable` came from the client. */
const OWN_KEYS = /^(user-agent|x-.*|langgraph_auth_(user|user_id|permissions))$/;

const Run = z.looseObject({
  input: z.strictObject({ question: z.string(), language: Language.optional() }).nullish(),
  command: z.strictObject({ resume: z.unknown(), goto: z.null().optional(), update: z.null().optional() }).nullish(),
  config: z.looseObject({ configurable: z.record(z.string().regex(OWN_KEYS), z.unknown()).nullish() }).nullish(),
});

/** Who is signed in, from what `authenticate` returned. The server overwrites whatever a client sent under that name. */
export function signedIn(user: unknown): Identity {
  const parsed = z.looseObject({ identity: z.string(), tenant: z.string(), role: z.string() }).safeParse(user);
  const identity = Identity.safeParse(
    parsed.success ? { user: parsed.data.identity, tenant: parsed.data.tenant, role: parsed.data.role } : null,
  );
  if (!identity.success) throw new AftersalesError("token_invalid");
  return identity.data;
}

export function assertCoveredRoute(request: Request): void {
  if (!ROUTES.test(new URL(request.url).pathname)) refuse("this route is not open here");
}

/** A run may ask, answer and go on from the newest step. Everything else is a way around the graph. */
export function assertPlainRun(threadId: string | null | undefined, kwargs: Record<string, unknown>): void {
  assertNoWebhook(kwargs);
  if (threadId == null) refuse("a case needs a thread: create one first");
  const run = Run.safeParse(kwargs);
  if (run.success) return;
  const [field] = run.error.issues[0]?.path ?? [];
  if (field === "command") refuse("goto and update are not allowed: send command.resume alone");
  if (field === "input") refuse("a run takes question and language and nothing else");
  refuse("config.configurable is not open here: runs go on from the thread's newest step");
}

/** What a thread is labelled with when it is made; a client's own labels of that name are overwritten. */
export function labelsOf({ tenant, user }: Identity): { owner: string; tenant: string } {
  return { owner: user, tenant };
}

/** The same rule as for cases on disk: their applicant, and reviewers of their tenant. */
export function visibleTo(identity: Identity): Record<string, string> {
  return identity.role === "reviewer" ? { tenant: identity.tenant } : labelsOf(identity);
}
