/** `demo`: plays the refund story through the built commands. Every figure it tells is read from what those commands printed. */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { AftersalesError } from "../../domain/errors.js";
import { formatCny } from "../../domain/money.js";
import { type Loss, lossyRunner } from "../demo-loss.js";
import { type CommandRun, createCommandRunner, type RunCommand } from "../demo-runner.js";
import { printable } from "../print.js";
import type { RunContext } from "../run-context.js";

const QUESTION = "Please process the refund for QH-1001 and explain the amount.";

const Story = z.looseObject({
  caseId: z.string(),
  status: z.string(),
  model: z.string(),
  question: z.string(),
  answer: z.looseObject({ answer: z.string(), citations: z.array(z.string()) }),
  proposal: z.looseObject({ orderId: z.string(), amountCents: z.int(), expiresAt: z.string() }),
  digest: z.string(),
  receipt: z.looseObject({ receiptId: z.string(), amountCents: z.int(), executedAt: z.string() }).optional(),
  artifact: z.string(),
  evidence: z
    .looseObject({
      facts: z.array(z.looseObject({ id: z.string(), data: z.unknown() })),
      passages: z.array(z.looseObject({ id: z.string(), title: z.string() })),
    })
    .optional(),
});
type Story = z.infer<typeof Story>;

const Order = z.looseObject({ paid_items_cents: z.int(), shipping_cents: z.int(), refunded_cents: z.int() });
const Refusal = z.looseObject({ error: z.looseObject({ code: z.string(), message: z.string() }) });

const Audited = z.looseObject({ receipts: z.int(), findings: z.array(z.unknown()) });

export async function runDemo(context: RunContext, flags: { loseReply?: boolean } = {}): Promise<void> {
  const { config, output, options } = context;
  const stateDir = mkdtempSync(join(tmpdir(), "aftersales-demo-"));
  const tell = (text: string): void => (options.json ? output.say(text) : output.result(text));
  const runner = {
    ...config.cli,
    common: ["--state-dir", stateDir, "--model", "rehearsal", "--data", context.dataDir],
    said: (line: string) => output.say(`    ${line}`),
    signal: context.signal,
  };
  const run = createCommandRunner(runner);
  tell("Qinghe after-sales: one refund, from the question to the receipt.");
  tell("Merchant, people and money are fictional. The answers come from the rehearsal model: rules, not an LLM.");
  tell(`State of this run (kept): ${stateDir}\n`);

  await expectCode(run("alice", ["init"]), 0, "init");
  const waiting = await tellQuestion(run, tell);
  await tellWait(run, tell, waiting);
  const approved = await tellReview(run, tell, waiting);
  const loss = flags.loseReply === true ? lossyRunner(config, runner, stateDir) : undefined;
  const receipt = await tellSettlement(run, tell, approved, loss);
  tellRecord(tell, receipt);
  if (options.json) {
    const { caseId, proposal, artifact } = receipt;
    const attempts = loss?.attempts() ?? 1;
    output.json({ stateDir, caseId, amountCents: proposal.amountCents, attempts, receipt: receipt.receipt, artifact });
  }
}

type Tell = (text: string) => void;

async function tellQuestion(run: RunCommand, tell: Tell): Promise<Story> {
  tell(`1. Alice asks: "${QUESTION}"`);
  const story = await storyOf(run("alice", ["ask", QUESTION, "--language", "en"]), "waiting_approval");
  tell(`\n   Answer (${story.model}):\n${indented(story.answer.answer)}`);
  tell(`   Sources: ${story.answer.citations.join(", ")}\n`);
  return story;
}

async function tellWait(run: RunCommand, tell: Tell, { caseId, digest, proposal }: Story): Promise<void> {
  tell(`2. The case waits with one exact proposal: ${formatCny(proposal.amountCents)} for ${proposal.orderId}.`);
  tell(`   Nothing has been paid. The proposal is valid until ${proposal.expiresAt}.`);
  tell(`   Its digest: ${digest}\n`);
  tell("3. Alice tries to approve her own refund.");
  const refused = await expectCode(
    run("alice", ["review", caseId, "--digest", digest, "--approve"]),
    1,
    "self-approval",
  );
  const { error } = Refusal.parse(refused.value);
  tell(`   Refused: ${error.message} (${error.code})\n`);
}

async function tellReview(run: RunCommand, tell: Tell, { caseId, digest, proposal }: Story): Promise<Story> {
  tell("4. Chen, a reviewer of the same merchant, looks at what there is to decide.");
  const info = await storyOf(run("chen", ["review-info", caseId]), "waiting_approval");
  const order = Order.parse(factOf(info, "get_order"));
  tell(
    `   Order record: paid for the items ${formatCny(order.paid_items_cents)}, refunded earlier ${formatCny(order.refunded_cents)}, delivery ${formatCny(order.shipping_cents)}.`,
  );
  const invoiced = order.paid_items_cents + order.shipping_cents;
  tell(
    `   So ${formatCny(proposal.amountCents)}, not ${formatCny(invoiced)}: the invoice includes delivery, which is not refunded.`,
  );
  for (const { id, title } of info.evidence?.passages ?? []) tell(`   Terms: ${id} (${printable(title)})`);
  tell("   Chen approves exactly this digest.");
  const approved = await storyOf(run("chen", ["review", caseId, "--digest", digest, "--approve"]), "queued");
  tell("   The approval is recorded and signed. Recording it has paid nothing.\n");
  return approved;
}

async function tellSettlement(run: RunCommand, tell: Tell, { caseId }: Story, loss?: Loss): Promise<Story> {
  tell("5. The case is resumed: host code, not the model, has the commerce service execute the refund.");
  if (loss !== undefined)
    tell("   The line to the service breaks in the worst moment: the money has moved, the reply is lost.");
  const settled = await storyOf((loss?.run ?? run)("alice", ["resume", caseId]), "completed");
  const { receipt } = settled;
  if (receipt === undefined) throw new AftersalesError("demo_failed", { detail: "no receipt after resume" });
  tell(`   Receipt ${receipt.receiptId}: ${formatCny(receipt.amountCents)} (SIMULATED), ${receipt.executedAt}\n`);
  if (loss !== undefined) await tellLoss(run, tell, loss);
  tell("6. Resumed once more.");
  const again = await storyOf(run("alice", ["resume", caseId]), "completed");
  const same = again.receipt?.receiptId === receipt.receiptId && again.receipt.executedAt === receipt.executedAt;
  if (!same) throw new AftersalesError("demo_failed", { detail: "the second resume brought another receipt" });
  tell(`   Nothing is paid again: the same receipt, ${receipt.executedAt}.\n`);
  return settled;
}

/** Both figures are counted: the requests on the line, the receipts in the service's own ledger. */
async function tellLoss(run: RunCommand, tell: Tell, loss: Loss): Promise<void> {
  const { value } = await expectCode(run("chen", ["audit"]), 0, "audit");
  const { receipts } = Audited.parse(value);
  tell("   The host did not know whether it was paid, so it asked again with the same approval.");
  tell(`   Attempts: ${loss.attempts()}. Refunds in the service's ledger: ${receipts}.\n`);
}

function tellRecord(tell: Tell, { artifact }: Story): void {
  tell(`7. The case record: ${artifact}\n`);
  const [text = ""] = readFileSync(artifact, "utf8").split("\n## Data");
  tell(indented(text.trim()));
}

async function expectCode(running: Promise<CommandRun>, code: number, step: string): Promise<CommandRun> {
  const run = await running;
  if (run.code !== code)
    throw new AftersalesError("demo_failed", { detail: `${step} ended with exit code ${run.code}` });
  return run;
}

async function storyOf(running: Promise<CommandRun>, status: string): Promise<Story> {
  const { value } = await running;
  const parsed = Story.safeParse(value);
  if (parsed.success && parsed.data.status === status) return parsed.data;
  const refusal = Refusal.safeParse(value);
  const found = refusal.success ? refusal.data.error.code : String(value.status);
  throw new AftersalesError("demo_failed", { detail: `expected ${status}, found ${found}` });
}

function factOf(story: Story, tool: string): unknown {
  return story.evidence?.facts.find(({ id }) => id.startsWith(`${tool}:`))?.data;
}

function indented(text: string): string {
  return printable(text)
    .split("\n")
    .map((line) => `   | ${line}`)
    .join("\n");
}
