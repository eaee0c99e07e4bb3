import { expect, test } from "vitest";
import { eventHash, listEvents } from "../../src/adapters/event-log.js";
import { redact } from "../../src/adapters/redact.js";
import { createLedger, type Ledger, openCase } from "../support/ledger.js";
import { CASE_ID, OTHER_CASE_ID } from "../support/ledger-values.js";

type Row = Record<string, string | number | null>;

/** The number of the first row whose hash or link does not fit, or null: what anybody can check with the file alone. */
function firstBreak(ledger: Ledger, caseId: string): number | null {
  let previous = "0".repeat(64);
  let expected = 1;
  const rows = ledger.query("application", "select * from events where case_id = ? order by number", caseId);
  for (const row of rows) {
    const fields = hashed(row);
    const { hash } = row;
    if (fields.prev_hash !== previous || fields.number !== expected || eventHash(fields) !== hash)
      return Number(fields.number);
    previous = String(hash);
    expected += 1;
  }
  return null;
}

/** What a row's hash covers: everything but the hash and the row's place in the file. */
function hashed(row: Record<string, unknown>): Row {
  const covered = Object.entries(row).filter(([name]) => name !== "seq" && name !== "hash");
  return Object.fromEntries(
    covered.map(([name, value]) => [name, typeof value === "string" || typeof value === "number" ? value : null]),
  );
}

async function loggedCases(): Promise<Ledger> {
  const ledger = await createLedger();
  const stores = await ledger.open();
  await openCase(stores);
  await openCase(stores, OTHER_CASE_ID);
  await stores.leases.hold(CASE_ID, async () => {
    for (const status of ["one", "two", "three"]) await stores.events.append(CASE_ID, [{ phase: "plan", status }]);
    await stores.events.append(CASE_ID, [
      { phase: "investigate", status: "ok", tool: "get_order", durationMs: 12 },
      { phase: "investigate", status: "refused", tool: "get_order", code: "repeated_call" },
      { phase: "compose", status: "model_replied", durationMs: 5, inputTokens: 100, outputTokens: 20 },
    ]);
  });
  await stores.leases.hold(OTHER_CASE_ID, () => stores.events.append(OTHER_CASE_ID, [{ phase: "plan", status: "x" }]));
  return ledger;
}

test("events are numbered per case and chained; the chain of a case verifies by itself", async () => {
  const ledger = await loggedCases();
  expect(firstBreak(ledger, CASE_ID)).toBeNull();
  expect(firstBreak(ledger, OTHER_CASE_ID)).toBeNull();
  const numbers = ledger.query("application", "select number from events where case_id = ?", CASE_ID);
  expect(numbers.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test.each(["at", "phase", "status", "tool", "code", "duration_ms", "input_tokens", "output_tokens", "cause"])(
  "an edited %s breaks the chain at its row",
  async (column) => {
    const ledger = await loggedCases();
    ledger.run("application", `update events set ${column} = 7 where case_id = ? and number = 4`, CASE_ID);
    expect(firstBreak(ledger, CASE_ID)).toBe(4);
    expect(firstBreak(ledger, OTHER_CASE_ID)).toBeNull();
  },
);

test("a removed row and a swapped pair break the chain", async () => {
  const removed = await loggedCases();
  removed.run("application", "delete from events where case_id = ? and number = 3", CASE_ID);
  expect(firstBreak(removed, CASE_ID)).toBe(4);
  const swapped = await loggedCases();
  swapped.run("application", "update events set number = 99 where case_id = ? and number = 2", CASE_ID);
  swapped.run("application", "update events set number = 2 where case_id = ? and number = 3", CASE_ID);
  expect(firstBreak(swapped, CASE_ID)).not.toBeNull();
});

test("a row whose hash was recomputed after an edit no longer fits the next one", async () => {
  const ledger = await loggedCases();
  const [row = {}] = ledger.query("application", "select * from events where case_id = ? and number = 2", CASE_ID);
  const hash = eventHash({ ...hashed(row), status: "forged" });
  const edit = "update events set status = 'forged', hash = ? where case_id = ? and number = 2";
  ledger.run("application", edit, hash, CASE_ID);
  expect(firstBreak(ledger, CASE_ID)).toBe(3);
});

test("usage and duration that are unknown are null, not zero", async () => {
  const ledger = await loggedCases();
  const stores = await ledger.open();
  const events = await listEvents(stores.db, CASE_ID);
  expect(events[1]).toMatchObject({ durationMs: null, inputTokens: null, outputTokens: null, tool: null, code: null });
  expect(events.at(-1)).toMatchObject({ durationMs: 5, inputTokens: 100, outputTokens: 20 });
});

const SECRET = "hunter2hunter2";
const FORMS = [
  ["a JSON password", `{"password":"${SECRET}"}`],
  ["a JSON password with spaces", `{ "password" : "${SECRET}" }`],
  ["a password with an escaped quote", `{"password":"a\\"${SECRET}"}`],
  ["a token in a query", `GET /x?token=${SECRET}&page=1`],
  ["an access token", `access_token=${SECRET}`],
  ["a JSON api key", `{"apiKey":"${SECRET}"}`],
  ["an environment variable", `DEEPSEEK_API_KEY=${SECRET}`],
  ["an authorization header", `Authorization: Bearer ${SECRET}`],
  ["an authorization header in JSON", `{"authorization":"Bearer ${SECRET}"}`],
  ["a bare Bearer", `401 for Bearer ${SECRET}`],
  ["Basic", `Basic ${Buffer.from(`user:${SECRET}`).toString("base64")}`],
  ["an sk- key", `Incorrect API key provided: sk-${SECRET}`],
  ["credentials in a URL", `connect https://user:${SECRET}@db.example/x`],
  ["a JWT", `eyJhbGciOiJIUzI1NiJ9.eyJwIjoi${SECRET}In0.${SECRET}`],
] as const;

test.each(FORMS)("%s is masked", (_form, text) => {
  const masked = redact(text);
  expect(masked).toContain("[masked]");
  expect(masked).not.toContain(SECRET);
  expect(masked).not.toContain(Buffer.from(`user:${SECRET}`).toString("base64"));
});

test.each([
  "SqliteError: database is locked",
  "ENOENT: no such file, open '/x/y.json'",
  "QH-1001 version 2",
  "basic rules",
])("text without a secret stays as it is: %s", (text) => {
  expect(redact(text)).toBe(text);
});

test("a cause is masked and shortened before it reaches the file, and is not listed", async () => {
  const ledger = await createLedger();
  const stores = await ledger.open();
  await openCase(stores);
  const causes = FORMS.map(([, text]) => ({ phase: "investigate", status: "refused", cause: text }));
  await stores.leases.hold(CASE_ID, () =>
    stores.events.append(CASE_ID, [
      ...causes,
      { phase: "x", status: "y", cause: `${"x".repeat(390)} token=${SECRET}` },
    ]),
  );
  const stored = ledger.query("application", "select cause from events where cause is not null");
  expect(stored).toHaveLength(FORMS.length + 1);
  expect(JSON.stringify(stored)).not.toContain(SECRET);
  expect(stored.every(({ cause }) => String(cause).length <= 400)).toBe(true);
  expect(JSON.stringify(await listEvents(stores.db, CASE_ID))).not.toContain("masked");
});
