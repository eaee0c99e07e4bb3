/** Owns the command line: which command, which options, which exit code. 0 done or waiting, 1 refused or failed, 2 usage. */
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { AftersalesError } from "../domain/errors.js";
import { CaseNotFinished } from "./case-not-finished.js";
import { describeEvaluations } from "./evaluation-commands.js";
import { createOutput, type Output } from "./print.js";
import { RefusedResult } from "./refused-result.js";
import type { GlobalOptions, RunContext, RunInput } from "./run-context.js";

export type MainOptions = Partial<RunInput>;

type Action = (context: RunContext) => Promise<void>;

/** Runs one command and returns its exit code. Tests bring clocks, output or a model; the shipped program brings none. */
export async function main(argv: readonly string[], given: MainOptions = {}): Promise<number> {
  const output = given.output ?? createOutput();
  let chosen: Action | undefined;
  if (argv[0] === "--version" || argv[0] === "-V") {
    output.result((await import("../graph/compose.js")).packageVersion());
    return 0;
  }
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
  // Everything behind the commands is loaded once one has been understood: asking for help must not wait for it.
  const [{ readConfig, systemClocks, toAftersalesError }, { createRunContext }] = await Promise.all([
    import("../graph/compose.js"),
    import("./run-context.js"),
  ]);
  const wasShown = (error: unknown): error is CaseNotFinished | RefusedResult =>
    error instanceof CaseNotFinished || error instanceof RefusedResult;
  let context: RunContext | undefined;
  try {
    const config = given.config ?? readConfig(undefined, { mayTrace: true });
    if (config.isTraced)
      output.say("Tracing is on (AFTERSALES_TRACING=1): questions and answers also go to LangSmith.");
    context = createRunContext(options, {
      config,
      clocks: given.clocks ?? systemClocks,
      signal: given.signal ?? new AbortController().signal,
      output,
      ...(given.givenModel === undefined ? {} : { givenModel: given.givenModel }),
    });
    await action(context);
    return 0;
  } catch (error) {
    const failure = wasShown(error) ? error.reason : toAftersalesError(error);
    report(failure, output, options.json && !wasShown(error), context);
    if (error instanceof CaseNotFinished && failure.code === "cancelled") {
      const { CASE_WORDS } = await import("./case-words.js");
      const { resumeCommand } = await import("./resume-command.js");
      output.say(
        CASE_WORDS[context?.language() ?? "en"].goOn.replace("{command}", resumeCommand(options, error.caseId)),
      );
    }
    return failure.code === "usage" ? 2 : 1;
  } finally {
    await context?.close();
  }
}

/** One sentence, the code, what to do. A case that was already shown on stdout carries its error there. */
function report(failure: AftersalesError, output: Output, json: boolean, context: RunContext | undefined): void {
  const message = failure.sentence(context?.language() ?? "en");
  if (json) output.json({ error: { code: failure.code, category: failure.category, message } });
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
    .option("-V, --version", "print the version")
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

  command("init", "make what is missing; keeps cases, refunds and keys").action(() =>
    choose(async (context) => (await import("./commands/init.js")).runInit(context)),
  );
  command("ask <question>", "open a case for one question")
    .option("--language <language>", "zh or en; otherwise the saved preference, otherwise zh")
    .option("--one-step", "stop after the first phase")
    .action((question: string, flags: { language?: string; oneStep?: boolean }) =>
      choose(async (context) => (await import("./commands/ask.js")).runAsk(context, question, flags)),
    );
  command("resume <case>", "go on with a case; executes an approved refund")
    .option("--one-step", "stop after the next phase")
    .option("--retry", "do a failed case again")
    .action((caseId: string, flags: { oneStep?: boolean; retry?: boolean }) =>
      choose(async (context) => (await import("./commands/resume.js")).runResume(context, caseId, flags)),
    );
  command("inspect <case>", "show a case as it stands")
    .option("--events", "with its event log")
    .option("--event <number>", "one event of it, with what caused it (reviewers)")
    .action((caseId: string, flags: { events?: boolean; event?: string }) =>
      choose(async (context) => (await import("./commands/inspect.js")).runInspect(context, caseId, flags)),
    );
  command("cases", "list cases")
    .option("--status <status>", "only these")
    .action((flags: { status?: string }) =>
      choose(async (context) => (await import("./commands/cases.js")).runCases(context, flags)),
    );
  command("review-info <case>", "show a reviewer what there is to decide").action((caseId: string) =>
    choose(async (context) => (await import("./commands/review-info.js")).runReviewInfo(context, caseId)),
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
      choose(async (context) =>
        (await import("./commands/decide.js")).runDecision(context, caseId, {
          decision,
          digest,
          ...(reason === undefined ? {} : { reason }),
        }),
      );
    });
  command("requote <case>", "replace an open proposal by one from the order's current record").action(
    (caseId: string) =>
      choose(async (context) =>
        (await import("./commands/decide.js")).runDecision(context, caseId, { decision: "requote" }),
      ),
  );
  command("withdraw <case>", "take your own request back").action((caseId: string) =>
    choose(async (context) =>
      (await import("./commands/decide.js")).runDecision(context, caseId, { decision: "withdraw" }),
    ),
  );
  command("create-ticket <order> <summary>", "open a ticket for a human")
    .requiredOption("--key <key>", "your own name for this request; the same key never opens a second ticket")
    .action((order: string, summary: string, flags: { key: string }) =>
      choose(async (context) =>
        (await import("./commands/create-ticket.js")).runCreateTicket(context, order, summary, flags),
      ),
    );
  command("remember", "save the language of later cases")
    .requiredOption("--language <language>", "zh or en")
    .option("--consent", "yes, keep it")
    .action((flags: { language: string; consent?: boolean }) =>
      choose(async (context) => (await import("./commands/remember.js")).runRemember(context, flags)),
    );
  command("search <query>", "find what the documents in force say")
    .option("--language <language>", "zh or en; otherwise zh if the query holds Chinese")
    .action((query: string, flags: { language?: string }) =>
      choose(async (context) => (await import("./commands/search.js")).runSearch(context, query, flags)),
    );
  command("check-data [dir]", "load a data directory strictly and tell what is wrong in it").action((dir?: string) =>
    choose(async (context) => (await import("./commands/check-data.js")).runCheckData(context, dir)),
  );
  command("mcp-tools", "list what the commerce process offers").action(() =>
    choose(async (context) => (await import("./commands/mcp-tools.js")).runMcpTools(context)),
  );
  command("mcp-env", "print the variables with which another MCP client starts the commerce service").action(() =>
    choose(async (context) => (await import("./commands/mcp-env.js")).runMcpEnv(context)),
  );
  command("graph", "draw the graph as Mermaid text").action(() =>
    choose(async (context) => (await import("./commands/graph.js")).runGraph(context)),
  );
  command("audit", "check event chains, and the records against the commerce ledger (reviewers)").action(() =>
    choose(async (context) => (await import("./commands/audit.js")).runAudit(context)),
  );
  command("cap-basis", "sum your own delivery fees of the twelve months up to the business date").action(() =>
    choose(async (context) => (await import("./commands/cap-basis.js")).runCapBasis(context)),
  );
  command("purge", "remove texts, events and steps of old finished cases; keeps decisions and receipts")
    .requiredOption("--older-than <days>", "for example 90d")
    .action((flags: { olderThan: string }) =>
      choose(async (context) => (await import("./commands/retention.js")).runPurge(context, flags)),
    );
  command("forget <case>", "the same for one ended case").action((caseId: string) =>
    choose(async (context) => (await import("./commands/retention.js")).runForget(context, caseId)),
  );
  command("verify <file>", "check a case record by itself").action((file: string) =>
    choose(async (context) => (await import("./commands/verify.js")).runVerify(context, file)),
  );
  command("doctor", "say what is configured and what works")
    .option("--live", "also send one small request to the live model")
    .action((flags: { live?: boolean }) =>
      choose(async (context) => (await import("./commands/doctor.js")).runDoctor(context, flags)),
    );
  describeEvaluations(program, choose);
  command("demo", "play the whole refund story with the rehearsal model")
    .option("--lose-reply", "lose the service's first reply to the payment, and see what that costs")
    .action((flags: { loseReply?: boolean }) =>
      choose(async (context) => (await import("./commands/demo.js")).runDemo(context, flags)),
    );
  command("demo-errors", "show how failures, refusals and empty answers are told apart").action(() =>
    choose(async (context) => (await import("./commands/demo-errors.js")).runDemoErrors(context)),
  );
  return program;
}
