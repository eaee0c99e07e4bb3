/** `eval routing`: measures whether the tools' descriptions alone lead a request to the right tool. Needs no model unless one is to choose. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChatModels, ToolSpec } from "../../domain/ports.js";
import { createHost, packageVersion, singleCaller } from "../../graph/compose.js";
import { openDataDesk } from "../../graph/compose-data.js";
import { initialise } from "../../graph/compose-state.js";
import type { Stamp } from "../retrieval-evaluation.js";
import { evaluateRouting, type RoutingEvaluation, type RoutingFigure } from "../routing-evaluation.js";
import type { RunContext } from "../run-context.js";

/** What a live model is told: nothing about any tool, so that it has the descriptions alone. */
const INSTRUCTIONS =
  "You are given one request of a customer or a colleague. Call the one tool whose description fits it best, once. Answer nothing.";

export async function runEvalRouting(context: RunContext, flags: { runLive?: boolean }): Promise<void> {
  const { clocks, dataDir, options, output, signal } = context;
  if (flags.runLive === true) context.requireModel();
  const desk = openDataDesk(dataDir);
  const stamp: Stamp = {
    version: packageVersion(),
    dataHash: desk.hash(),
    date: new Date(clocks.runtime.nowMs()).toISOString(),
  };
  const specs = await realDescriptions(context);
  const result = await evaluateRouting({
    tools: specs.map(({ name, description }) => ({ name, description })),
    set: desk.routing(),
    routerFor: (tools) => desk.router(tools),
    ...(flags.runLive === true ? { live: chosenBy(context.models(), specs, signal) } : {}),
    stamp,
  });
  if (options.json) output.json(result);
  else output.result(textOf(result));
}

/** The tools as a model is offered them: the six reads as the running commerce process describes them, and the six local ones. */
async function realDescriptions(context: RunContext): Promise<ToolSpec[]> {
  const { config, clocks, dataDir } = context;
  const identity = context.identity();
  const stateDir = mkdtempSync(join(tmpdir(), "aftersales-routing-"));
  try {
    await initialise({ config, clocks, dataDir, stateDir });
    const host = createHost({
      config,
      clocks,
      dataDir,
      stateDir,
      models: context.models,
      callers: singleCaller(identity),
    });
    try {
      return await (await host.graph()).specs({ tenant: identity.tenant, user: identity.user });
    } finally {
      await host.close();
    }
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

/** Which tools the model asks for: one is a choice, several or none is not. */
function chosenBy(models: ChatModels, tools: ToolSpec[], signal: AbortSignal): (request: string) => Promise<string[]> {
  return async (request) => {
    const user = JSON.stringify({ request });
    const { calls } = await models.ask({ step: "investigate", system: INSTRUCTIONS, user, turns: [], tools }, signal);
    return [...new Set(calls.map(({ name }) => name))];
  };
}

function textOf({ version, dataHash, date, figures, requests, live }: RoutingEvaluation): string {
  const stamp = `  [${version}, data ${dataHash.slice(0, 12)}, ${date}]`;
  const missed = [...requests, ...live.map((entry) => ({ ...entry, id: `live ${entry.id}` }))]
    .filter(({ verdict }) => verdict !== "right")
    .map(
      ({ id, verdict, tool, chosen }) => `${id.padEnd(34)} ${verdict}: ${tool}, not ${chosen.join(" or ") || "any"}`,
    );
  return [...missed, ...figures.map(lineOf)].map((line) => line + stamp).join("\n");
}

function lineOf({
  descriptions,
  language,
  split,
  requests,
  right,
  ambiguous,
  wrong,
  rightShare,
}: RoutingFigure): string {
  const group = `${descriptions} ${language} ${split}`.padEnd(34);
  return `${group} right ${rightShare.toFixed(3)}: ${right} right, ${ambiguous} ambiguous, ${wrong} wrong of ${requests}`;
}
