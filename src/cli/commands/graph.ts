/** `graph`: draws the compiled graph, its two loops included, as Mermaid text. */

import { AftersalesError } from "../../domain/errors.js";
import { buildSupportGraph } from "../../graph/support-graph.js";
import type { RunContext } from "../run-context.js";

export async function runGraph(context: RunContext): Promise<void> {
  const graph = buildSupportGraph(() => Promise.reject(new AftersalesError("internal_error")));
  const mermaid = (await graph.getGraphAsync({ xray: true })).drawMermaid();
  if (context.options.json) context.output.json({ mermaid });
  else context.output.result(mermaid.trim());
}
