/** `mcp-env`: the three variables with which another MCP client starts the commerce service as `.mcp.json` declares it. */
import { commerceAccess } from "../../graph/compose-state.js";
import type { RunContext } from "../run-context.js";

/** Nothing here is secret: the key is the public half, which can check a reviewer's signature and never make one. */
export async function runMcpEnv(context: RunContext): Promise<void> {
  const { database, publicKey } = commerceAccess(context.options.stateDir);
  const variables = {
    QINGHE_COMMERCE_DATABASE: database,
    QINGHE_COMMERCE_PUBLIC_KEY: publicKey,
    QINGHE_COMMERCE_PROFILE: context.identity().user,
  };
  if (context.options.json) context.output.json(variables);
  else context.output.result(Object.entries(variables).map(exportLine).join("\n"));
}

/** For `eval` in a POSIX shell, whatever the path holds. */
function exportLine([name, value]: [string, string]): string {
  return `export ${name}='${value.replaceAll("'", `'\\''`)}'`;
}
