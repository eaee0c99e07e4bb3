/** Judges a state directory by its files alone: plain SQL, SHA-256 and the public key. Shares no code with the product, so that a mistake there cannot hide itself here. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { compactVerify, importJWK } from "jose";
import { z } from "zod";

const MODEL_LIMIT = 20;
const TOOL_LIMIT = 24;

const Body = z.looseObject({
  receipt_id: z.string(),
  approval_id: z.string(),
  digest: z.string(),
  order_id: z.string(),
  amount_cents: z.int(),
});
const Receipt = z.object({ tenant: z.string(), approval_id: z.string(), digest: z.string(), body: z.string() });
const Order = z.object({ tenant: z.string(), order_id: z.string(), paid: z.int(), refunded: z.int() });
const Approval = z.object({
  approval_id: z.string(),
  tenant: z.string(),
  order_id: z.string(),
  proposal: z.string(),
  digest: z.string(),
  state: z.string(),
  reviewer: z.string().nullable(),
  decided_at: z.string().nullable(),
  grant_jws: z.string().nullable(),
  receipt: z.string().nullable(),
});
const Event = z.looseObject({
  seq: z.int(),
  case_id: z.string(),
  number: z.int(),
  prev_hash: z.string(),
  hash: z.string(),
});
const Budget = z.object({ case_id: z.string(), model_used: z.int(), tool_used: z.int() });
const Proposal = z.looseObject({
  approvalId: z.string(),
  tenant: z.string(),
  orderId: z.string(),
  amountCents: z.int(),
});
const Grant = z.looseObject({ decision: z.string(), reviewer: z.string(), decidedAt: z.string(), proposal: Proposal });
const PublicJwk = z.object({ kty: z.literal("OKP"), crv: z.literal("Ed25519"), x: z.string() });

type Files = {
  orders: z.infer<typeof Order>[];
  receipts: z.infer<typeof Receipt>[];
  approvals: z.infer<typeof Approval>[];
  events: z.infer<typeof Event>[];
  budgets: z.infer<typeof Budget>[];
};

/** Cents already refunded per `tenant/order`, in a directory before the story under test. */
export function refundedPerOrder(stateDir: string): Map<string, number> {
  return new Map(readFiles(stateDir).orders.map((order) => [`${order.tenant}/${order.order_id}`, order.refunded]));
}

/** One sentence per broken invariant; none for a sound directory. `before` is what had been refunded when the story began. */
export async function auditLedger(stateDir: string, before: ReadonlyMap<string, number>): Promise<string[]> {
  const files = readFiles(stateDir);
  return [
    ...auditMoney(files, before),
    ...auditProposals(files),
    ...(await auditGrants(files, stateDir)),
    ...auditBudgets(files),
    ...auditChains(files),
  ];
}

function readFiles(stateDir: string): Files {
  const application = new Database(join(stateDir, "host", "application.db"), { readonly: true });
  const commerce = new Database(join(stateDir, "commerce", "commerce.db"), { readonly: true });
  try {
    const all = <Row>(database: Database.Database, schema: z.ZodType<Row>, sql: string): Row[] =>
      z.array(schema).parse(database.prepare(sql).all());
    return {
      orders: all(
        commerce,
        Order,
        "select tenant, order_id, paid_items_cents paid, refunded_cents refunded from orders",
      ),
      receipts: all(commerce, Receipt, "select * from receipts"),
      approvals: all(application, Approval, "select * from approvals"),
      events: all(application, Event, "select * from events order by case_id, number"),
      budgets: all(application, Budget, "select * from budgets"),
    };
  } finally {
    application.close();
    commerce.close();
  }
}

function auditMoney({ orders, receipts }: Files, before: ReadonlyMap<string, number>): string[] {
  const found: string[] = [];
  for (const { tenant, order_id, paid, refunded } of orders) {
    const key = `${tenant}/${order_id}`;
    if (refunded > paid) found.push(`${key}: more refunded than paid`);
    const bodies = receipts.filter((one) => one.tenant === tenant).map(({ body }) => Body.parse(JSON.parse(body)));
    const sum = bodies.filter((one) => one.order_id === order_id).reduce((total, one) => total + one.amount_cents, 0);
    if (refunded !== (before.get(key) ?? 0) + sum) found.push(`${key}: refunded sum differs from its receipts`);
  }
  const approvals = receipts.map(({ body }) => Body.parse(JSON.parse(body)).approval_id);
  for (const id of new Set(approvals)) {
    if (approvals.filter((one) => one === id).length > 1) found.push(`${id}: more than one receipt`);
  }
  return found;
}

function auditProposals({ approvals, receipts }: Files): string[] {
  const live = approvals.filter(({ state }) => state === "pending" || state === "approved");
  const orders = live.map(({ tenant, order_id }) => `${tenant}/${order_id}`);
  const paid = new Set(receipts.map(({ approval_id }) => approval_id));
  return [
    ...[...new Set(orders)]
      .filter((order) => orders.filter((one) => one === order).length > 1)
      .map((order) => `${order}: more than one live proposal`),
    ...approvals
      .filter(({ state, approval_id, receipt }) => state === "settled" && (!paid.has(approval_id) || receipt === null))
      .map(({ approval_id }) => `${approval_id}: settled without a receipt`),
  ];
}

async function auditGrants({ approvals, receipts }: Files, stateDir: string): Promise<string[]> {
  if (receipts.length === 0) return [];
  const jwk = PublicJwk.parse(JSON.parse(readFileSync(join(stateDir, "host", "keys", "grant-private.jwk"), "utf8")));
  const key = await importJWK(jwk, "EdDSA");
  const found: string[] = [];
  for (const { approval_id, digest, body } of receipts) {
    const approval = approvals.find((one) => one.approval_id === approval_id);
    if (approval === undefined || !["approved", "settled"].includes(approval.state)) {
      found.push(`${approval_id}: receipt without an approved row`);
      continue;
    }
    const verified = await compactVerify(approval.grant_jws ?? "", key).catch(() => null);
    if (verified === null) {
      found.push(`${approval_id}: receipt without a valid grant`);
      continue;
    }
    const grant = Grant.parse(JSON.parse(new TextDecoder().decode(verified.payload)));
    const receipt = Body.parse(JSON.parse(body));
    const named = digestOf(grant.proposal);
    const equal =
      canonical(grant.proposal) === canonical(JSON.parse(approval.proposal)) &&
      grant.decision === "approve" &&
      grant.reviewer === approval.reviewer &&
      grant.decidedAt === approval.decided_at &&
      [approval.digest, digest, receipt.digest].every((one) => one === named) &&
      receipt.approval_id === approval_id &&
      grant.proposal.approvalId === approval_id &&
      grant.proposal.orderId === receipt.order_id &&
      grant.proposal.amountCents === receipt.amount_cents;
    if (!equal) found.push(`${approval_id}: receipt, grant and approval differ`);
  }
  return found;
}

function auditBudgets({ budgets }: Files): string[] {
  return budgets
    .filter(({ model_used, tool_used }) => model_used > MODEL_LIMIT || tool_used > TOOL_LIMIT)
    .map(({ case_id }) => `${case_id}: budget above its limit`);
}

function auditChains({ events }: Files): string[] {
  const found = new Set<string>();
  const last = new Map<string, { number: number; hash: string }>();
  for (const { seq: _seq, hash, ...fields } of events) {
    const previous = last.get(fields.case_id) ?? { number: 0, hash: "0".repeat(64) };
    const sound =
      fields.number === previous.number + 1 && fields.prev_hash === previous.hash && sha256(canonical(fields)) === hash;
    if (!sound) found.add(`${fields.case_id}: event chain broken`);
    last.set(fields.case_id, { number: fields.number, hash });
  }
  return [...found];
}

function digestOf(proposal: unknown): string {
  return sha256(`qinghe.refund-proposal.v1\n${canonical(proposal)}`);
}

function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

/** JSON with sorted names: equal to RFC 8785 for the whole numbers and texts that are stored here. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
