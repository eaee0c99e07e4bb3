/** The steps most tests share: a case that waits with a proposal, and its decision. */
import { z } from "zod";
import { jsonOf, type Workspace } from "./workspace.js";

export const Waiting = z.looseObject({
  caseId: z.string(),
  status: z.literal("waiting_approval"),
  digest: z.string(),
  interruptId: z.string(),
  proposal: z.looseObject({ approvalId: z.string(), orderId: z.string(), amountCents: z.number(), state: z.string() }),
});
export type Waiting = z.infer<typeof Waiting>;

/** Asks for a refund in this process and returns the waiting case. */
export async function askForRefund(
  workspace: Workspace,
  orderId = "QH-1001",
  options: { profile?: string; language?: "zh" | "en" } = {},
): Promise<Waiting> {
  const { profile = "alice", language = "en" } = options;
  const question = language === "en" ? `Please refund ${orderId}.` : `请为 ${orderId} 办理退款。`;
  const run = await workspace.inProcess(["--json", "--profile", profile, "ask", question, "--language", language]);
  return Waiting.parse(jsonOf(run));
}
