/** Owns the `eval` commands: what each is called and which options it takes. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { RunContext } from "./run-context.js";

type Choose = (action: (context: RunContext) => Promise<void>) => void;

export function describeEvaluations(program: Command, choose: Choose): void {
  const evaluation = program.command("eval").description("measure the product").exitOverride();
  evaluation
    .command("cases")
    .description("run labelled customer questions and grade safe and right apart")
    .exitOverride()
    .addOption(new Option("--file <file>", "tab-separated questions").default("tests/evaluation/questions.tsv"))
    .option("--only <id>", "just this row")
    .action((flags: { file: string; only?: string }) =>
      choose(async (context) => (await import("./commands/eval-cases.js")).runEvalCases(context, flags)),
    );
  evaluation
    .command("retrieval")
    .description("measure the search with the labelled questions of the data directory")
    .exitOverride()
    .action(() => choose(async (context) => (await import("./commands/eval-retrieval.js")).runEvalRetrieval(context)));
  evaluation
    .command("routing")
    .description("measure whether the tools' descriptions alone lead requests to the right tool")
    .exitOverride()
    .option("--run-live", "let the configured chat model choose as well; one request each")
    .action((flags: { runLive?: boolean }) =>
      choose(async (context) => (await import("./commands/eval-routing.js")).runEvalRouting(context, flags)),
    );
  evaluation
    .command("live")
    .description("seven cases for a human to review, answered by the live model; without --run-live only a preview")
    .exitOverride()
    .option("--run-live", "send the requests")
    .option("--output <file>", "a new file for the answers, one JSON line each")
    .addOption(new Option("--trials <k>", "ask each case this often").default(1).argParser(trialCount))
    .action((flags: { runLive?: boolean; output?: string; trials: number }) =>
      choose(async (context) => (await import("./commands/eval-live.js")).runEvalLive(context, flags)),
    );
}

function trialCount(value: string): number {
  const count = Number(value);
  if (!/^\d+$/.test(value) || count < 1 || count > 100) throw new InvalidArgumentError("must be 1 to 100");
  return count;
}
