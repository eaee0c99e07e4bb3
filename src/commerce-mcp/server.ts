/** Owns the assembled MCP server: which tools and resources it offers and how a call is answered. A factory without input or output of its own. */
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolRequestSchema, ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { categoryOf } from "../domain/errors.js";
import type { CommerceTool } from "./commerce-tool.js";
import { createOwnedRecords } from "./owned-records.js";
import { createReadTools } from "./read-tools.js";
import { createRefunds, type RefundDependencies } from "./refunds.js";
import { registerResources } from "./resources.js";
import { createTickets } from "./tickets.js";
import { classOf, codeOf, failed, succeeded } from "./tool-results.js";
import { createWriteTools } from "./write-tools.js";

export type CommerceDependencies = RefundDependencies & {
  /** Takes one line for the operator, never for the client. */
  log: (line: string) => void;
  /** Offers the two writes beside the six reads. Whoever starts the process has to ask for them: by default nothing can be changed. */
  allowWrites?: boolean;
};

/** Builds a server for one identity; connect it to one transport. */
export function createCommerceServer(deps: CommerceDependencies): McpServer {
  const reads = createReadTools(createOwnedRecords(deps));
  const writes = createWriteTools({ createTicket: createTickets(deps), executeRefund: createRefunds(deps) });
  const tools = deps.allowWrites === true ? [...reads, ...writes] : reads;
  const server = new McpServer(
    { name: "qinghe-commerce", version: "1.0.0" },
    { capabilities: { tools: { listChanged: false }, resources: { listChanged: false } } },
  );
  for (const { name, description, annotations, input, output } of tools) {
    const definition = { description, annotations, inputSchema: input, outputSchema: output };
    server.registerTool(name, definition, () => failed("service_failed"));
  }
  answerCalls(server, new Map(tools.map((tool) => [tool.name, tool])), deps.log);
  registerResources(server, deps);
  return server;
}

/**
 * Replaces the library's own handler, which sends exception text to the client, reports an unknown tool as a tool result, and describes
 * bad arguments with the caller's own words. A map, not an object: `constructor` is not a tool.
 */
function answerCalls(server: McpServer, tools: ReadonlyMap<string, CommerceTool>, log: (line: string) => void): void {
  server.server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = tools.get(params.name);
    if (tool === undefined) throw Object.assign(new Error("Unknown tool"), { code: ErrorCode.InvalidParams });
    try {
      return succeeded(await tool.call(params.arguments));
    } catch (error) {
      const code = codeOf(error);
      const category = categoryOf(code);
      if (category === "internal" || category === "transient")
        log(`${randomUUID()} ${tool.name} ${code}: ${classOf(error)}`);
      return failed(code);
    }
  });
}
