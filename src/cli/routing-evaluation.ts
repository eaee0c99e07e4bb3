/** Owns measuring the tools' descriptions: how often they alone lead a request to the right tool, beside two kinds of bad ones. */
import { AftersalesError } from "../domain/errors.js";
import { meanOf } from "../domain/retrieval-metrics.js";
import type { DescribedTool, RoutingRequests, ToolRouter } from "../graph/compose-data.js";
import type { Stamp } from "./retrieval-evaluation.js";

type LabelledRequest = RoutingRequests["requests"][number];
export type Verdict = "right" | "ambiguous" | "wrong";

/** One request: `chosen` holds several tools when they could not be told apart, none when none speaks of it. */
export type RoutedRequest = LabelledRequest & { chosen: string[]; verdict: Verdict } & Stamp;

/** `permuted` is the mean over all rotations of the descriptions among the tools, so that no tool keeps its own. */
export type Descriptions = "real" | "naive" | "permuted" | "live model";
export type RoutingFigure = {
  descriptions: Descriptions;
  language: "all" | "zh" | "en";
  split: "all" | "development" | "held_out";
  requests: number;
  right: number;
  ambiguous: number;
  wrong: number;
  /** Of the requests. */
  rightShare: number;
} & Stamp;

export type RoutingEvaluation = Stamp & {
  kind: "routing";
  figures: RoutingFigure[];
  requests: RoutedRequest[];
  live: RoutedRequest[];
};

type Choose = (request: string) => Promise<string[]>;
type Input = {
  tools: readonly DescribedTool[];
  set: RoutingRequests;
  routerFor: (tools: readonly DescribedTool[]) => ToolRouter;
  /** A chat model that chooses, if one is to be asked. */
  live?: Choose;
  stamp: Stamp;
};

/** Throws `data_invalid` when the requests name a tool that does not exist or leave one without a naive description. */
export async function evaluateRouting({ tools, set, routerFor, live, stamp }: Input): Promise<RoutingEvaluation> {
  const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  refuseUnknown(sorted, set);
  const route = async (described: readonly DescribedTool[]): Promise<RoutedRequest[]> => {
    const router = routerFor(described);
    return judge(set.requests, async (request) => router(request).chosen, stamp);
  };
  const real = await route(sorted);
  const naive = await route(sorted.map(({ name }) => ({ name, description: set.naive[name] ?? "" })));
  const permuted: RoutedRequest[] = [];
  for (let shift = 1; shift < sorted.length; shift += 1) permuted.push(...(await route(rotated(sorted, shift))));
  const asked = live === undefined ? [] : await judge(set.requests, live, stamp);
  const rotations = Math.max(1, sorted.length - 1);
  const figures = [
    ...figuresOf("real", real, 1, stamp),
    ...figuresOf("naive", naive, 1, stamp),
    ...figuresOf("permuted", permuted, rotations, stamp),
    ...figuresOf("live model", asked, 1, stamp),
  ];
  return { kind: "routing", ...stamp, figures, requests: real, live: asked };
}

function refuseUnknown(tools: readonly DescribedTool[], { naive, requests }: RoutingRequests): void {
  const known = new Set(tools.map(({ name }) => name));
  const unknown = [...Object.keys(naive), ...requests.map(({ tool }) => tool)].find((name) => !known.has(name));
  const bare = [...known].find((name) => !Object.hasOwn(naive, name));
  const file = "evaluation/routing.json";
  if (unknown !== undefined) throw new AftersalesError("data_invalid", { file, detail: `${unknown} is no tool` });
  if (bare !== undefined) {
    throw new AftersalesError("data_invalid", { file, detail: `${bare} has no naive description; add one` });
  }
}

/** Every tool gets the description of the one `shift` places further on. */
function rotated(tools: readonly DescribedTool[], shift: number): DescribedTool[] {
  return tools.map(({ name }, index) => ({
    name,
    description: tools[(index + shift) % tools.length]?.description ?? "",
  }));
}

async function judge(requests: readonly LabelledRequest[], choose: Choose, stamp: Stamp): Promise<RoutedRequest[]> {
  const result: RoutedRequest[] = [];
  for (const labelled of requests) {
    const chosen = await choose(labelled.request);
    const [only] = chosen;
    const verdict = chosen.length !== 1 ? "ambiguous" : only === labelled.tool ? "right" : "wrong";
    result.push({ ...labelled, chosen, verdict, ...stamp });
  }
  return result;
}

function figuresOf(
  descriptions: Descriptions,
  routed: readonly RoutedRequest[],
  rounds: number,
  stamp: Stamp,
): RoutingFigure[] {
  if (routed.length === 0) return [];
  const languages = ["all", "en", "zh"] as const;
  const splits = ["all", "development", "held_out"] as const;
  return languages.flatMap((language) =>
    splits.map((split): RoutingFigure => {
      const group = routed.filter(
        (entry) => (language === "all" || entry.language === language) && (split === "all" || entry.split === split),
      );
      const share = (verdict: Verdict): number =>
        meanOf(group.map((entry) => (entry.verdict === verdict ? 1 : 0))) ?? 0;
      const requests = group.length / rounds;
      const count = (verdict: Verdict): number => Math.round(10 * share(verdict) * requests) / 10;
      return {
        descriptions,
        language,
        split,
        requests,
        right: count("right"),
        ambiguous: count("ambiguous"),
        wrong: count("wrong"),
        rightShare: share("right"),
        ...stamp,
      };
    }),
  );
}
