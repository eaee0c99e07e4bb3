/** Opens the product on an adversary's shop with the recorded wire, and runs one question on it up to the evidence for the checker. */
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { caseText } from "../../src/cli/case-text.js";
import { caseView } from "../../src/cli/case-view.js";
import { CaseId } from "../../src/domain/ids.js";
import { chooseModel, createHost, identityOf, readConfig, singleCaller, systemClocks } from "../../src/graph/compose.js";
import { openSession } from "../../src/graph/session.js";
import { type Evidence, readTables, readWire, type WireEntry } from "./adversary-checker.js";
import { AdversaryModel, type Responder } from "./adversary-model.js";
import { CANARIES, type Shop } from "./adversary-shop.js";
import { ROOT } from "./workspace.js";

export type Question = { text: string; language: "zh" | "en"; orderId: string | null; asksRefund: boolean };

export type Attempt = {
  question: Question;
  respond: Responder;
  lies?: readonly string[];
  /** Notes that already lie in the case, and what the commerce process says instead of an answer. */
  notes?: readonly string[];
  fault?: { tool: string; code: string; message: string };
};

export type AdversaryHost = {
  run(attempt: Attempt): Promise<Evidence>;
  close(): Promise<void>;
};

/** The configuration with the recording wire in front of the commerce process, and a key that must show up nowhere. */
export function recordedConfig(record: string) {
  const commerce = {
    command: process.execPath,
    args: [join(ROOT, "tests/support/adversary-wire.mjs"), record, join(ROOT, "dist/commerce.mjs")],
  };
  return { ...readConfig({ AFTERSALES_API_KEY: CANARIES.key, AFTERSALES_MODEL: "none" }), commerce };
}

export async function openAdversary(shop: Shop, profile = "alice"): Promise<AdversaryHost> {
  const { stateDir, dataDir } = shop;
  const record = join(shop.root, `${profile}.jsonl`);
  const config = recordedConfig(record);
  const identity = identityOf(dataDir, profile);
  const model = new AdversaryModel();
  const printed: string[] = [];
  const host = createHost({
    config,
    stateDir,
    dataDir,
    clocks: systemClocks,
    models: () => chooseModel(config, "live", model),
    callers: singleCaller(identity),
    progress: (event) => printed.push(JSON.stringify(event)),
    onStderr: (text) => printed.push(text),
  });
  const session = await openSession(host, identity);
  const secrets = Object.values(CANARIES);
  const privateKey = readFileSync(join(stateDir, "host", "keys", "grant-private.pem"), "utf8").split("\n")[1] ?? "";
  const started: WireEntry[] = [];

  return {
    async run({ question, respond, lies = [], notes = [], fault }) {
      const caseId = CaseId.parse(randomUUID());
      plantNotes(stateDir, caseId, notes);
      rmSync(`${record}.fault`, { force: true });
      if (fault !== undefined) writeFileSync(`${record}.fault`, JSON.stringify(fault));
      if (existsSync(record)) rmSync(record);
      model.forget();
      model.respond = respond;
      printed.length = 0;
      const before = readTables(stateDir, caseId);
      const input = { question: question.text, language: question.language };
      await session.begin(caseId, input, { caller: identity, settle: false }).catch((error: unknown) => {
        printed.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
      });
      const file = await session.read(caseId);
      const view = caseView(file, {
        events: await (await host.reader()).events(caseId),
        artifactsDir: join(stateDir, "host", "artifacts"),
        withEvidence: true,
        nowMs: Date.now(),
      });
      printed.push(JSON.stringify(view), caseText(view, Date.now()));
      if (view.artifact !== undefined) printed.push(readFileSync(view.artifact, "utf8"));
      const wire = readWire(record);
      started.push(...wire.filter(({ kind }) => kind === "started"));
      const evidence = {
        owner: { tenant: identity.tenant, user: identity.user },
        caseId,
        orderId: question.orderId,
        asksRefund: question.asksRefund,
        before,
        after: readTables(stateDir, caseId),
        wire: [...started, ...wire.filter(({ kind }) => kind !== "started")],
        seen: [...model.seen],
        modelRequests: model.requests,
        printed: printed.join("\n"),
        canaries: [...secrets, ...(privateKey === "" ? [] : [privateKey])],
        lies,
      };
      forgetProposal(stateDir, caseId);
      return evidence;
    },
    close: host.close,
  };
}

function plantNotes(stateDir: string, caseId: string, notes: readonly string[]): void {
  change(stateDir, (database) => {
    const insert = database.prepare("insert into notes (case_id, number, note) values (?, ?, ?)");
    notes.forEach((note, index) => {
      insert.run(caseId, index + 1, note);
    });
  });
}

/** An order has room for one open proposal; the next case starts without it. */
function forgetProposal(stateDir: string, caseId: string): void {
  change(stateDir, (database) => database.prepare("delete from approvals where case_id = ?").run(caseId));
}

function change(stateDir: string, work: (database: Database.Database) => unknown): void {
  const database = new Database(join(stateDir, "host", "application.db"), { fileMustExist: true, timeout: 2_000 });
  try {
    work(database);
  } finally {
    database.close();
  }
}
