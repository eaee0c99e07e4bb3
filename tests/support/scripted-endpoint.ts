/** The replies of a live endpoint for one refund request, in the order the graph asks for them. */
import { completion, type Reply, toolCalls, type WireRequest } from "./model-server.js";

const PLAN = { intent: "refund", order_id: "QH-1001", action_requested: true, queries: [], milestones: [] };
const ANSWER = {
  answer:
    "CNY 129.00 can be refunded for QH-1001. A human reviewer has to approve this amount first; nothing has been paid.",
  citations: ["RETURNS:p02:en:0", "RETURNS:p03:en:0", "calculate_refund:QH-1001"],
  next_action: "request_refund",
};
const json = (value: unknown): Reply => completion({ content: JSON.stringify(value) });

/** 1 plan, 2 ask for the quote, 3 stop asking, 4 compose, 5 critique. The step is named in the system message. */
export function scripted({ body }: WireRequest): Reply {
  const step = /qinghe-aftersales\/(\w+)/.exec(String(body.messages[0]?.content))?.[1];
  if (step === "plan") return json(PLAN);
  if (step === "compose") return json(ANSWER);
  if (step === "critique") return json({ verdict: "pass", feedback: "" });
  const asked = body.messages.some(({ role }) => role === "tool");
  if (asked) return completion({ content: "The order is eligible." });
  return toolCalls({ id: "c1", name: "calculate_refund", args: { order_id: "QH-1001" } });
}
