/** `mcp-tools`: lists what the commerce process offers, from the running process. */
import type { RunContext } from "../run-context.js";

export async function runMcpTools(context: RunContext): Promise<void> {
  const tools = await context.host().commerce.bridge(context.identity()).tools();
  const listed = tools.map(({ name, description, annotations }) => ({
    name,
    readOnly: annotations?.readOnlyHint === true,
    description: description ?? "",
  }));
  listed.sort((a, b) => (a.name < b.name ? -1 : 1));
  if (context.options.json) context.output.json({ tools: listed });
  else
    context.output.result(
      listed.map(({ name, readOnly }) => `${name}${readOnly ? "" : "  (writes; host only)"}`).join("\n"),
    );
}
