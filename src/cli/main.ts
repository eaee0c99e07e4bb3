/** Owns the command line: which command, which options, which exit code. 0 done or waiting, 1 refused or failed, 2 usage. */
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { AftersalesError } from "../domain/errors.js";
import { packageVersion, readConfig, systemClocks, toAftersalesError } from "../graph/compose.js";
import { runAsk } from "./commands/ask.js";
import { runAudit } from "./commands/audit.js";
import { runCases } from "./commands/cases.js";
import { runCreateTicket } from "./commands/create-ticket.js";
import { runDecision } from "./commands/decide.js";
import { runDemo } from "./commands/demo.js";
import { runEvalCases } from "./commands/eval-cases.js";
import { runGraph } from "./commands/graph.js";
import { runInit } from "./commands/init.js";
import { runInspect } from "./commands/inspect.js";
import { runMcpTools } from "./commands/mcp-tools.js";
import { runRemember } from "./commands/remember.js";
import { runResume } from "./commands/resume.js";
import { runForget, runPurge } from "./commands/retention.js";
import { runReviewInfo } from "./commands/review-info.js";
import { runVerify } from "./commands/verify.js";
import { CaseNotFinished } from "./finish.js";
import { createOutput, type Output } from "./print.js";
import { createRunContext, type GlobalOptions, type RunContext, type RunInput } from "./run-context.js";

export type MainOptions = Partial<RunInput>;

type Action = (context: RunContext) => Promise<void>;

/** Runs one command and returns its exit code. Tests bring clocks, output or a model; the shipped program brings none. */
export async function main(argv: readonly string[], given: MainOptions = {}): Promise<number> {
  const output = given.output ?? createOutput();
  let chosen: Action | undefined;
  const program = describeCommands(output, (action) => {
    chosen = action;
  });
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    return endedByParser(error, output, argv.includes("--json"), program.helpInformation());
  }
  if (chosen === undefined) return 0;
  return runCommand(chosen, program.opts<GlobalOptions>(), { ...given, output });
}

async function runCommand(
  action: Action,
  options: GlobalOptions,
  given: MainOptions & { output: Output },
): Promise<number> {
  const { output } = given;
  let context: RunContext | undefined;
  try {
    context = createRunContext(options, {
      config: given.config ?? readConfig(),
      clocks: given.clocks ?? systemClocks,
      signal: given.signal ?? new AbortController().signal,
      output,
      ...(given.givenModel === undefined ? {} : { givenModel: given.givenModel }),
    });
    await action(context);
    return 0;
  } catch (error) {
    report(error, output, options.json, context);
    return toAftersalesErrorOf(error).code === "usage" ? 2 : 1;
  } finally {
    await context?.close();
  }
}

function toAftersalesErrorOf(error: unknown): AftersalesError {
  return error instanceof CaseNotFinished ? error.reason : toAftersalesError(error);
}

/** One sentence, the code, what to do. A case that was already shown on stdout carries its error there. */
function report(error: unknown, output: Output, json: boolean, context: RunContext | undefined): void {
  const failure = toAftersalesErrorOf(error);
  const message = failure.sentence(context?.language() ?? "en");
  if (json && !(error instanceof CaseNotFinished)) {
    output.json({ error: { code: failure.code, category: failure.category, message } });
  }
  output.say(`${message} (${failure.code})`);
}

function endedByParser(error: unknown, output: Output, json: boolean, help: string): number {
  if (!(error instanceof CommanderError)) throw error;
  if (error.exitCode === 0) return 0;
  if (error.code === "commander.help") output.say(help);
  const detail =
    error.code === "commander.help" ? "name a command" : error.message.replace(/^error: /, "").replace(/\.?\s*$/, "");
  const failure = new AftersalesError("usage", { detail });
  if (json) output.json({ error: { code: failure.code, category: failure.category, message: failure.message } });
  output.say(`${failure.message} (usage)`);
  return 2;
}

function notBlank(value: string): string {
  if (value.trim() === "") throw new InvalidArgumentError("must not be blank");
  return value;
}

function describeCommands(output: Output, choose: (action: Action) => void): Command {
  const program = new Command("aftersales")
    .description("After-sales agent of the fictional merchant Qinghe. Everything is simulated; no money moves.")
    .version(packageVersion(), "-V, --version", "print the version")
    .addOption(
      new Option("--state-dir <dir>", "where cases, approvals and receipts live").default(".state").argParser(notBlank),
    )
    .addOption(new Option("--profile <name>", "whose name the command runs under").default("alice").argParser(notBlank))
    .addOption(new Option("--model <kind>", "which model answers").choices(["live", "rehearsal"]))
    .option("--json", "print exactly one JSON object on stdout", false)
    .addOption(new Option("--data <dir>", "the merchant's data directory").argParser(notBlank))
    .option("--keep-history", "keep every saved step of a case, not only the newest")
    .exitOverride()
    .configureOutput({ writeOut: (text) => output.result(text.trimEnd()), writeErr: () => undefined });
  const command = (usage: string, description: string): Command =>
    program.command(usage).description(description).exitOverride();

  command("init", "make what is missing; keeps cases, refunds and keys").action(() => choose(runInit));
  command("ask <question>", "open a case for one question")
    .option("--language <language>", "zh or en; otherwise the saved preference, otherwise zh")
    .option("--one-step", "stop after the first phase")
    .action((question: string, flags: { language?: string; oneStep?: boolean }) =>
      choose((context) => runAsk(context, question, flags)),
    );
  command("resume <case>", "go on with a case; executes an approved refund")
    .option("--one-step", "stop after the next phase")
    .option("--retry", "do a failed case again")
    .action((caseId: string, flags: { oneStep?: boolean; retry?: boolean }) =>
      choose((context) => runResume(context, caseId, flags)),
    );
  command("inspect <case>", "show a case as it stands")
    .option("--events", "with its event log")
    .action((caseId: string, flags: { events?: boolean }) => choose((context) => runInspect(context, caseId, flags)));
  command("cases", "list cases")
    .option("--status <status>", "only these")
    .action((flags: { status?: string }) => choose((context) => runCases(context, flags)));
  command("review-info <case>", "show a reviewer what there is to decide").action((caseId: string) =>
    choose((context) => runReviewInfo(context, caseId)),
  );
  command("review <case>", "approve or reject a proposal by its digest; pays nothing yet")
    .requiredOption("--digest <digest>", "the digest that review-info shows")
    .addOption(new Option("--approve", "approve exactly this proposal").conflicts("reject"))
    .addOption(new Option("--reject", "reject it"))
    .option("--reason <text>", "kept with the decision")
    .action((caseId: string, flags: { digest: string; approve?: boolean; reject?: boolean; reason?: string }) => {
      if (flags.approve !== true && flags.reject !== true) {
        throw new CommanderError(2, "aftersales.decision", "error: one of --approve and --reject is required");
      }
      const { digest, reason } = flags;
      const decision = flags.approve === true ? "approve" : "reject";
      choose((context) =>
        runDecision(context, caseId, { decision, digest, ...(reason === undefined ? {} : { reason }) }),
      );
    });
  command("requote <case>", "replace an open proposal by one from the order's current record").action(
    (caseId: string) => choose((context) => runDecision(context, caseId, { decision: "requote" })),
  );
  command("withdraw <case>", "take your own request back").action((caseId: string) =>
    choose((context) => runDecision(context, caseId, { decision: "withdraw" })),
  );
  command("create-ticket <order> <summary>", "open a ticket for a human")
    .requiredOption("--key <key>", "your own name for this request; the same key never opens a second ticket")
    .action((order: string, summary: string, flags: { key: string }) =>
      choose((context) => runCreateTicket(context, order, summary, flags)),
    );
  command("remember", "save the language of later cases")
    .requiredOption("--language <language>", "zh or en")
    .option("--consent", "yes, keep it")
    .action((flags: { language: string; consent?: boolean }) => choose((context) => runRemember(context, flags)));
  command("mcp-tools", "list what the commerce process offers").action(() => choose(runMcpTools));
  command("graph", "draw the graph as Mermaid text").action(() => choose(runGraph));
  command("audit", "check event chains, and the records against the commerce ledger (reviewers)").action(() =>
    choose(runAudit),
  );
  command("purge", "remove texts, events and steps of old finished cases; keeps decisions and receipts")
    .requiredOption("--older-than <days>", "for example 90d")
    .action((flags: { olderThan: string }) => choose((context) => runPurge(context, flags)));
  command("forget <case>", "the same for one ended case").action((caseId: string) =>
    choose((context) => runForget(context, caseId)),
  );
  command("verify <file>", "check a case record by itself").action((file: string) =>
    choose((context) => runVerify(context, file)),
  );
  const evaluation = program.command("eval").description("measure the product").exitOverride();
  evaluation
    .command("cases")
    .description("run labelled customer questions and grade safe and right apart")
    .exitOverride()
    .addOption(new Option("--file <file>", "tab-separated questions").default("tests/evaluation/questions.tsv"))
    .option("--only <id>", "just this row")
    .action((flags: { file: string; only?: string }) => choose((context) => runEvalCases(context, flags)));
  command("demo", "play the whole refund story with the rehearsal model").action(() => choose(runDemo));
  return program;
}
