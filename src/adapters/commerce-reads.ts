/** Owns the six read tools as a model sees them: made by the MCP adapter over the filtered bridge, answered with our own envelope. */

import { loadMcpTools } from "@langchain/mcp-adapters";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { z } from "zod";
import {
  COMMERCE_READ_TOOLS,
  COMMERCE_RESULTS,
  type CommerceReadTool,
  ToolErrorWire,
} from "../domain/commerce-wire.js";
import { AftersalesError, toolError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import type { CommerceReads, ReadOutcome } from "../domain/ports.js";
import type { BridgeOutcome, CommerceBridge } from "./commerce-bridge.js";

const Envelope = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("ok"), data: z.record(z.string(), z.unknown()) }),
  z.strictObject({ kind: z.literal("error"), error: ToolErrorWire }),
  z.strictObject({ kind: z.literal("cancelled") }),
]);

export function createCommerceReads(bridge: CommerceBridge): CommerceReads {
  let loading: ReturnType<typeof loadTools> | undefined;
  const tools = (): ReturnType<typeof loadTools> => {
    loading ??= loadTools(bridge).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    async specs() {
      return (await tools()).map(({ name, description, schema }) => ({
        name,
        description,
        schema: z.record(z.string(), z.unknown()).parse(schema),
      }));
    },
    async call(name, args, options) {
      const tool = (await tools()).find((candidate) => candidate.name === name);
      if (tool === undefined) throw new AftersalesError("mcp_contract_changed", { detail: `${name} is missing` });
      // An abort timer takes whole milliseconds only.
      const timeout = Math.floor(options.remainingMs());
      if (timeout <= 0) return { kind: "error", error: toolError("tool_timeout") };
      const output: unknown = await tool.invoke(args, {
        timeout,
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
      const parsed = Envelope.safeParse(typeof output === "string" ? JSON.parse(output) : output);
      if (!parsed.success) return { kind: "error", error: toolError("invalid_commerce_result") };
      // LangChain turns the timeout into an abort of its own, which is nobody's wish to stop the case.
      const timedOut = parsed.data.kind === "cancelled" && options.signal?.aborted !== true;
      return timedOut ? { kind: "error", error: toolError("tool_timeout") } : checked(name, parsed.data);
    },
  };
}

async function loadTools(bridge: CommerceBridge) {
  return loadMcpTools("commerce", new ReadOnlyClient(bridge), { throwOnLoadError: true });
}

/**
 * A client that is never connected itself: it lists and calls only the six reads, through the bridge. Everything a model can reach
 * goes through here, so the filter stands before any tool object exists.
 */
class ReadOnlyClient extends Client {
  readonly #bridge: CommerceBridge;

  constructor(bridge: CommerceBridge) {
    super({ name: "qinghe-aftersales-reads", version: "1" });
    this.#bridge = bridge;
  }

  override async listTools(): ReturnType<Client["listTools"]> {
    return { tools: (await this.#bridge.tools()).filter((tool) => isReadTool(tool.name)) };
  }

  override async callTool(...[params, , options]: Parameters<Client["callTool"]>): ReturnType<Client["callTool"]> {
    if (!isReadTool(params.name)) throw new AftersalesError("tool_not_allowed");
    const outcome = await this.#bridge.call(params.name, params.arguments ?? {}, {
      signal: options?.signal,
      // The time that was left when the call began ends `signal` as well, so it counts from there and not from here.
      remainingMs: () => options?.timeout ?? LIMITS.toolCallMs,
    });
    return { content: [{ type: "text", text: JSON.stringify(readOutcome(outcome)) }] };
  }
}

function isReadTool(name: string): name is CommerceReadTool {
  return COMMERCE_READ_TOOLS.some((tool) => tool === name);
}

function readOutcome(outcome: BridgeOutcome): ReadOutcome {
  switch (outcome.kind) {
    case "ok":
    case "error":
      return outcome;
    case "cancelled":
      return { kind: "cancelled" };
    case "timeout":
      return { kind: "error", error: toolError("tool_timeout") };
    case "lost":
      return { kind: "error", error: toolError("commerce_unavailable") };
    case "bad_result":
      return { kind: "error", error: toolError("invalid_commerce_result") };
  }
}

/** The strict result schema is checked on this side as well: a field too many never reaches a model. */
function checked(name: CommerceReadTool, outcome: ReadOutcome): ReadOutcome {
  if (outcome.kind !== "ok") return outcome;
  const parsed = COMMERCE_RESULTS[name].safeParse(outcome.data);
  if (!parsed.success) return { kind: "error", error: toolError("invalid_commerce_result") };
  if (JSON.stringify(parsed.data).length > LIMITS.commerceResultChars) {
    return { kind: "error", error: toolError("tool_result_too_large") };
  }
  return { kind: "ok", data: parsed.data };
}
