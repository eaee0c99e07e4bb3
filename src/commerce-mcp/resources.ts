/** Owns the three resources: what this process is bound to, the receipts of its merchant for reviewers, and a customer's own cap basis. */
import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ErrorCode, type ReadResourceResult } from "@modelcontextprotocol/sdk/types.js";
import type { Kysely } from "kysely";
import { CAP_BASIS_URI } from "../domain/commerce-wire.js";
import { toolError } from "../domain/errors.js";
import type { Identity } from "../domain/identity.js";
import { ApprovalId } from "../domain/ids.js";
import { readCapBasis } from "./cap-basis.js";
import type { CommerceTables } from "./commerce-tables.js";
import { listReceipts } from "./receipts.js";
import { classOf, codeOf } from "./tool-results.js";

const SCOPE_URI = "qinghe://service-scope";
const LEDGER_URI = "qinghe://ledger";
/** Keeps one answer far below what a stdio client accepts as one message. */
const RECEIPTS_PER_PAGE = 500;
const JSON_TYPE = "application/json";

export type ResourceDependencies = {
  db: Kysely<CommerceTables>;
  identity: Identity;
  businessDate: string;
  log: (line: string) => void;
};

/** Registers the scope, the ledger with its pages, and the cap basis. The ledger's text is `{tenant, receipts, next}`, `next` being a URI or null. */
export function registerResources(server: McpServer, { db, identity, businessDate, log }: ResourceDependencies): void {
  const ledger = (after: ApprovalId | null) => answerLedger({ db, identity, log }, after);
  server.registerResource(
    "service-scope",
    SCOPE_URI,
    { description: "What this service is, and for whom it acts.", mimeType: JSON_TYPE },
    () => jsonResource(SCOPE_URI, scopeOf(identity, businessDate)),
  );
  server.registerResource(
    "ledger",
    LEDGER_URI,
    {
      description: "Receipts of the merchant, by approval id, for reviewers. `next` names the following page.",
      mimeType: JSON_TYPE,
    },
    () => ledger(null),
  );
  server.registerResource(
    "ledger-page",
    new ResourceTemplate(`${LEDGER_URI}/{after}`, { list: undefined }),
    { description: "The receipts behind an approval id, for reviewers.", mimeType: JSON_TYPE },
    (_uri, { after }) => {
      const parsed = ApprovalId.safeParse(after);
      if (!parsed.success) throw refused();
      return ledger(parsed.data);
    },
  );
  server.registerResource(
    "cap-basis",
    CAP_BASIS_URI,
    {
      description: "The customer's own delivery fees of the twelve months up to the business date, in cents of CNY.",
      mimeType: JSON_TYPE,
    },
    async () => {
      if (identity.role !== "customer") throw refused();
      const basis = await orSafeError(CAP_BASIS_URI, log, () => readCapBasis(db, identity, businessDate));
      return jsonResource(CAP_BASIS_URI, basis);
    },
  );
}

function scopeOf({ tenant, user, role }: Identity, businessDate: string): Record<string, unknown> {
  return {
    fictional: true,
    notice: "Fictional commerce. No payment gateway is connected; every refund, receipt and ticket is simulated.",
    identity: { tenant, user, role, fixed: "when the process was started; no argument can change it" },
    business_date: businessDate,
  };
}

async function answerLedger(
  { db, identity, log }: Omit<ResourceDependencies, "businessDate">,
  after: ApprovalId | null,
): Promise<ReadResourceResult> {
  if (identity.role !== "reviewer") throw refused();
  return orSafeError(LEDGER_URI, log, async () => {
    const receipts = await listReceipts(db, identity.tenant, { after, limit: RECEIPTS_PER_PAGE + 1 });
    const page = receipts.slice(0, RECEIPTS_PER_PAGE);
    const last = receipts.length > page.length ? page.at(-1) : undefined;
    const next = last === undefined ? null : `${LEDGER_URI}/${last.approval_id}`;
    const uri = after === null ? LEDGER_URI : `${LEDGER_URI}/${after}`;
    return jsonResource(uri, { tenant: identity.tenant, receipts: page, next });
  });
}

/** The library would send the exception's own text to the client. */
async function orSafeError<Value>(
  uri: string,
  log: (line: string) => void,
  read: () => Promise<Value>,
): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    log(`${uri}: ${classOf(error)}`);
    const answer = toolError(codeOf(error));
    throw Object.assign(new Error(answer.message), { code: ErrorCode.InternalError, data: answer });
  }
}

/** One answer for whoever may not read it, without saying what is there. */
function refused(): Error {
  return Object.assign(new Error("This resource is not available to this identity."), {
    code: ErrorCode.InvalidParams,
  });
}

function jsonResource(uri: string, value: Record<string, unknown>): ReadResourceResult {
  return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value) }] };
}
