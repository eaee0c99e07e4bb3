/** Owns the line to the commerce process: starting it, pinning what it offers, one outcome type per call, a fresh process after a crash. */
import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { type CommerceToolName, ERROR_META_KEY, ToolErrorWire } from "../domain/commerce-wire.js";
import { AftersalesError, categoryOf, isErrorCode, toolError } from "../domain/errors.js";
import { LIMITS } from "../domain/limits.js";
import type { CallOptions } from "../domain/ports.js";

export type ProcessCommand = { command: string; args: string[] };

/** `lost` and `timeout` mean that the outcome is unknown. */
export type BridgeOutcome =
  | { kind: "ok"; data: Record<string, unknown> }
  | { kind: "error"; error: ToolErrorWire }
  | { kind: "lost" | "timeout" | "cancelled" | "bad_result" };

export type CommerceBridge = {
  /** The pinned tools as the process describes them. Throws `commerce_unavailable`, `commerce_not_started` or `mcp_contract_changed`. */
  tools(): Promise<Tool[]>;
  call(name: CommerceToolName, args: Record<string, unknown>, options: CallOptions): Promise<BridgeOutcome>;
  /** The text of a resource. Throws the service's own code, `commerce_unavailable` when it is gone, `tool_timeout` when it does not answer. */
  readResource(uri: string): Promise<string>;
  close(): Promise<void>;
};

/** Of what a process wrote to stderr while it started. */
const SAID_CHARS = 2_000;
const LAST_WORDS_MS = 200;

type Session = { client: Client; tools: Tool[] };

/** Names exactly what this program was built for: a tool that changes its words or its schema changes what a model does with it. */
export function toolHash(tool: Tool): string {
  const contract = [tool.name, tool.description, tool.inputSchema, tool.outputSchema, tool.annotations];
  return createHash("sha256").update(JSON.stringify(contract)).digest("hex").slice(0, 16);
}

export function createCommerceBridge(deps: {
  process: ProcessCommand;
  pins: ReadonlyMap<string, string>;
  onStderr?: (text: string) => void;
}): CommerceBridge {
  const { pins } = deps;
  let session: Promise<Session> | undefined;

  async function connect(): Promise<Session> {
    // The SDK is loaded with the first connection: most commands never make one.
    const [{ Client }, { StdioClientTransport }] = await Promise.all([
      import("@modelcontextprotocol/sdk/client/index.js"),
      import("@modelcontextprotocol/sdk/client/stdio.js"),
    ]);
    const transport = new StdioClientTransport({ ...deps.process, stderr: "pipe" });
    // An unread pipe fills up, and then closing the process takes seconds.
    let said = "";
    transport.stderr?.on("data", (chunk: Buffer) => {
      const text = chunk.toString("utf8");
      said = (said + text).slice(-SAID_CHARS);
      deps.onStderr?.(text);
    });
    const saidAll = new Promise((done) => transport.stderr?.once("end", done));
    const client = new Client({ name: "qinghe-aftersales", version: "1" });
    const gone = (): void => {
      session = undefined;
    };
    client.onclose = gone;
    try {
      await client.connect(transport, { timeout: LIMITS.toolListMs });
      const { tools } = await client.listTools(undefined, { timeout: LIMITS.toolListMs });
      return { client, tools: pinned(tools, pins) };
    } catch (error) {
      gone();
      await client.close();
      if (error instanceof AftersalesError) throw error;
      // What the process said may arrive behind its end.
      await Promise.race([saidAll, wait(LAST_WORDS_MS)]);
      throw notStarted(said) ?? new AftersalesError("commerce_unavailable", {}, { cause: error });
    }
  }

  /** Calls that arrive together after a crash start one process, not several. */
  function open(): Promise<Session> {
    session ??= connect();
    return session;
  }

  return {
    async tools() {
      return (await open()).tools;
    },
    async call(name, args, { signal, remainingMs }) {
      if (signal?.aborted) return { kind: "cancelled" };
      const { client } = await open();
      const { CallToolResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
      // Starting a process takes its time: the call may have been given up, or its time may be over, before it was ever sent.
      if (signal?.aborted) return { kind: "cancelled" };
      const timeout = remainingMs();
      if (timeout <= 0) return { kind: "timeout" };
      // The SDK never removes its abort listener, so a shared signal would collect one for every call.
      const own = new AbortController();
      const abort = (): void => own.abort(signal?.reason);
      signal?.addEventListener("abort", abort, { once: true });
      try {
        const options = { signal: own.signal, timeout, maxTotalTimeout: timeout };
        const result = CallToolResultSchema.safeParse(
          await client.callTool({ name, arguments: args }, undefined, options),
        );
        if (!result.success) return { kind: "bad_result" };
        if (result.data.isError === true) return { kind: "error", error: errorOf(result.data._meta?.[ERROR_META_KEY]) };
        const data = result.data.structuredContent;
        return data === undefined ? { kind: "bad_result" } : { kind: "ok", data };
      } catch (error) {
        return { kind: signal?.aborted ? "cancelled" : await failureKind(error) };
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    },
    async readResource(uri) {
      const { client } = await open();
      const read = client.readResource({ uri }, { timeout: LIMITS.toolCallMs });
      const [content] = (
        await read.catch(async (error: unknown) => {
          throw await resourceError(error);
        })
      ).contents;
      return content !== undefined && "text" in content ? content.text : "";
    },
    async close() {
      const closing = session;
      session = undefined;
      await closing?.then(
        ({ client }) => client.close(),
        () => undefined,
      );
    },
  };
}

/** A process that ended by itself has said why in one line, with one of our codes. Trying again does not help then. */
function notStarted(said: string): AftersalesError | null {
  const [, detail, code = ""] = /^aftersales-commerce: (.+) \(([a-z_]+)\)$/m.exec(said) ?? [];
  if (detail === undefined || !isErrorCode(code) || categoryOf(code) === "transient") return null;
  return new AftersalesError("commerce_not_started", { detail: detail.replace(/\.$/, "") });
}

function pinned(tools: readonly Tool[], pins: ReadonlyMap<string, string>): Tool[] {
  return [...pins].map(([name, hash]) => {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new AftersalesError("mcp_contract_changed", { detail: `${name} is missing` });
    if (toolHash(tool) !== hash) throw new AftersalesError("mcp_contract_changed", { detail: `${name} differs` });
    return tool;
  });
}

/** Only our own codes and sentences get through; anything else is an unclassified failure of the service. */
function errorOf(meta: unknown): ToolErrorWire {
  const parsed = ToolErrorWire.safeParse(meta);
  return parsed.success && isErrorCode(parsed.data.code) ? toolError(parsed.data.code) : toolError("service_failed");
}

/** A service that says why keeps its code; anything else of it is an unclassified failure. */
async function resourceError(cause: unknown): Promise<AftersalesError> {
  const kind = await failureKind(cause);
  if (kind === "lost") return new AftersalesError("commerce_unavailable", {}, { cause });
  if (kind === "timeout") return new AftersalesError("tool_timeout", {}, { cause });
  const { code } = errorOf(cause instanceof Error && "data" in cause ? cause.data : undefined);
  return new AftersalesError(isErrorCode(code) ? code : "service_failed", {}, { cause });
}

async function failureKind(error: unknown): Promise<"lost" | "timeout" | "bad_result"> {
  const { ErrorCode, McpError } = await import("@modelcontextprotocol/sdk/types.js");
  if (!(error instanceof McpError)) return "lost";
  if (error.code === ErrorCode.RequestTimeout) return "timeout";
  return error.code === ErrorCode.ConnectionClosed ? "lost" : "bad_result";
}
