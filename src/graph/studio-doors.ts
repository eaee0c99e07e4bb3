/** Owns what every request to the development server has to pass first, in both modes: where it comes from, and what a run may carry. */
import { HTTPException } from "@langchain/langgraph-sdk/auth";

/** The same pages as in the configuration files' CORS lists. A browser sends a simple request before it asks whether it may read the answer. */
const PAGES = /^(https:\/\/smith\.langchain\.com|http:\/\/(localhost|127\.0\.0\.1)(:\d+)?)$/;
const HOSTS = /^(localhost|127\.0\.0\.1)(:\d+)?$/;

/** Throws 403 for a request from a foreign page, or through a name that a foreign page has bent to this machine. */
export function assertFromHere(request: Request): void {
  const origin = request.headers.get("origin");
  if (origin !== null && !PAGES.test(origin)) refuse("this page may not use the server");
  const host = request.headers.get("host") ?? new URL(request.url).host;
  if (!HOSTS.test(host)) refuse("the server answers only as localhost or 127.0.0.1");
}

/** Throws 403 when a run names an address that its whole state would be sent to. */
export function assertNoWebhook(kwargs: Record<string, unknown>): void {
  if (kwargs.webhook != null) refuse("webhooks are not allowed");
}

/** Answers with 403 and this sentence. */
export function refuse(message: string): never {
  throw new HTTPException(403, { message });
}
