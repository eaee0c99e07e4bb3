/** A client that is not ours: the stock LangChain adapter sees the same eight tools and can read what went wrong. */
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { afterAll, beforeAll, expect, it } from "vitest";
import { toolError } from "../../src/domain/errors.js";
import { buildCommerce, commerceArguments } from "../support/commerce-process.js";
import { openShop, type Shop } from "../support/commerce-shop.js";

let shop: Shop;
let adapter: MultiServerMCPClient;

beforeAll(async () => {
  shop = await openShop();
  const named = { database: shop.database, data: shop.dataDir, publicKey: shop.keys.publicKeyText, profile: "alice" };
  const args = [await buildCommerce(), ...commerceArguments(named)];
  adapter = new MultiServerMCPClient({
    mcpServers: { commerce: { transport: "stdio", command: process.execPath, args, stderr: "ignore" } },
  });
});
afterAll(async () => {
  await adapter.close();
  shop.remove();
});

it("a stock adapter lists eight tools, reads an order and finds the error as JSON in the text", async () => {
  const tools = await adapter.getTools();
  expect(tools).toHaveLength(8);
  const getOrder = tools.find(({ name }) => name === "get_order");
  expect(JSON.stringify(await getOrder?.invoke({ order_id: "QH-1001" }))).toContain("12900");
  const refused = await getOrder?.invoke({ order_id: "QH-2001" }).catch((error: unknown) => error);
  expect(String(refused)).toContain(JSON.stringify({ error: toolError("order_not_accessible") }));
});
