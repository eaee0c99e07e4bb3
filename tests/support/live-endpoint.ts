/** What the tests of a live endpoint share: its settings, the question, which step a request is for, and the case as they read it. */
import { z } from "zod";
import type { WireRequest } from "./model-server.js";

export const LIVE_KEY = "sk-live-0123456789abcdef";
export const ASK_LIVE = ["--json", "--model", "live", "ask", "Please refund QH-1001.", "--language", "en"];

export const liveSettings = (url: string): Record<string, string> => ({
  AFTERSALES_API_KEY: LIVE_KEY,
  AFTERSALES_MODEL: "deepseek-chat",
  AFTERSALES_BASE_URL: url,
});

/** The step that a request is for: plan, investigate, compose or critique. It is named in the system message. */
export function stepOf({ body }: WireRequest): string {
  return /qinghe-aftersales\/(\w+)/.exec(String(body.messages[0]?.content))?.[1] ?? "";
}

/** A case as these tests read it. */
export const LiveCase = z.looseObject({
  caseId: z.string(),
  status: z.string(),
  phase: z.string(),
  error: z.looseObject({ code: z.string() }).optional(),
  proposal: z.looseObject({ amountCents: z.number() }).optional(),
  answer: z.looseObject({ nextAction: z.string() }).optional(),
  artifact: z.string().optional(),
  budget: z.looseObject({ model: z.looseObject({ used: z.number() }) }),
});
