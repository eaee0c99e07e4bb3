/** What tests ask of a running commerce service, whatever lies between. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { type CallToolResult, CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { ERROR_META_KEY, ToolErrorWire } from "../../src/domain/commerce-wire.js";

export type CommerceConnection = {
  client: Client;
  call: (name: string, args?: Record<string, unknown>) => Promise<CallToolResult>;
  close: () => Promise<void>;
};

export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<CallToolResult> {
  return CallToolResultSchema.parse(await client.callTool({ name, arguments: args }));
}

/** The one text block of a result, byte for byte. */
export function textOf(result: CallToolResult): string {
  const [block, ...rest] = result.content;
  if (block?.type !== "text" || rest.length > 0) throw new Error("expected exactly one text block");
  return block.text;
}

/** The error of a failed call, after checking that it is carried twice and nothing else comes with it. */
export function errorOf(result: CallToolResult): ToolErrorWire {
  const { error, ...rest } = JSON.parse(textOf(result));
  const same = JSON.stringify(result._meta?.[ERROR_META_KEY]) === JSON.stringify(error);
  const clean = result.isError === true && result.structuredContent === undefined && Object.keys(rest).length === 0;
  if (!same || !clean) throw new Error(`not an error envelope: ${JSON.stringify(result)}`);
  return ToolErrorWire.parse(error);
}

/** The structured content of a success, after checking that the text says the same. */
export function dataOf(result: CallToolResult): Record<string, unknown> {
  const { structuredContent, isError } = result;
  if (isError === true || structuredContent === undefined) throw new Error(`not a success: ${JSON.stringify(result)}`);
  if (textOf(result) !== JSON.stringify(structuredContent)) throw new Error("text and structured content differ");
  return structuredContent;
}
