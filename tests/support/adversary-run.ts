/** Opens the product on an adversary's shop with the recorded wire, and runs one question on it up to the evidence for the checker. */
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { caseText } from "../../src/cli/case-text.js";
import { caseView } from "../../src/cli/case-view.js";
import { main } from "../../src/cli/main.js";
import { createOutput } from "../../src/cli/print.js";
import { CaseId } from "../../src/domain/ids.js";
import {
  chooseModel,
  createHost,
  identityOf,
  readConfig,
  singleCaller,
  systemClocks,
} from "../../src/graph/compose.js";
import { openSession } from "../../src/graph/session.js";
import { type Evidence, readTables, readWire, type WireEntry } from "./adversary-evidence.js";
import { AdversaryModel, type Responder } from "./adversary-model.js";
import { CANARIES, type Shop } from "./adversary-shop.js";
import { ROOT } from "./workspace.js";

const PrivateKey = z.looseObject({ d: z.string().min(20) });
const Printed = z.looseObject({ caseId: z.string(), artifact: z.string().optional() });

/** `asksRefund`: whether a person would say that it asks for the refund of that order now. */
export type Question = { text: string; language: "zh" | "en"; orderId: string | null; asksRefund: boolean };

export type Attempt = {
  question: Question;
  respond: Responder;
  /** What no answer may say. */
  lies?: readonly string[];
  /** Notes that already lie in the case. */
  notes?: readonly string[];
  /** What the commerce process says instead of an answer. */
  fault?: { tool: string; code: string; message: string };
};

export type AdversaryHost = {
  /** One case on the open session, as the package's entry runs it. */
  run(attempt: Attempt): Promise<Evidence>;
  /** The same through the command line, with a commerce process of its own. */
  command(attempt: Attempt): Promise<Evidence>;
  close(): Promise<void>;
};

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
  const { d: privateKey } = PrivateKey.parse(
    JSON.parse(readFileSync(join(stateDir, "host", "keys", "grant-private.jwk"), "utf8")),
  );
  const started: WireEntry[] = [];

  /** Runs `work`, which returns the id of its case, and collects what can be seen of it afterwards. */
  async function observed(attempt: Attempt, newCaseId: string, work: () => Promise<string>): Promise<Evidence> {
    const { question, respond, lies = [], notes = [], fault } = attempt;
    change(stateDir, (database) => {
      const insert = database.prepare("insert into notes (case_id, number, note) values (?, ?, ?)");
      for (const [index, note] of notes.entries()) insert.run(newCaseId, index + 1, note);
    });
    rmSync(record, { force: true });
    rmSync(`${record}.fault`, { force: true });
    if (fault !== undefined) writeFileSync(`${record}.fault`, JSON.stringify(fault));
    model.forget();
    model.respond = respond;
    printed.length = 0;
    const before = readTables(stateDir, newCaseId);
    const caseId = await work();
    const wire = readWire(record);
    started.push(...wire.filter(({ kind }) => kind === "started"));
    const evidence: Evidence = {
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
      canaries: [...Object.values(CANARIES), privateKey],
      lies,
    };
    // An order has room for one open proposal; the next case starts without it.
    change(stateDir, (database) => database.prepare("delete from approvals where case_id = ?").run(caseId));
    return evidence;
  }

  return {
    run(attempt) {
      const caseId = CaseId.parse(randomUUID());
      return observed(attempt, caseId, async () => {
        const { text, language } = attempt.question;
        const options = { caller: identity, settle: false };
        await session.begin(caseId, { question: text, language }, options).catch((error: unknown) => {
          printed.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
        });
        const view = caseView(await session.read(caseId), {
          events: await (await host.reader()).events(caseId),
          artifactsDir: join(stateDir, "host", "artifacts"),
          withEvidence: true,
          nowMs: Date.now(),
        });
        printed.push(JSON.stringify(view), caseText(view, Date.now()));
        if (view.artifact !== undefined) printed.push(readFileSync(view.artifact, "utf8"));
        return caseId;
      });
    },
    command: (attempt) =>
      observed(attempt, "", async () => {
        let stdout = "";
        const streams = [
          { write: (text: string) => (stdout += text) },
          { write: (text: string) => printed.push(text) },
        ];
        const { text, language } = attempt.question;
        const options = ["--json", "--state-dir", stateDir, "--data", dataDir, "--profile", profile];
        await main([...options, "ask", text, "--language", language], {
          config,
          givenModel: model,
          output: createOutput(...streams),
        });
        const { caseId, artifact } = Printed.parse(JSON.parse(stdout));
        printed.push(stdout);
        if (artifact !== undefined) printed.push(readFileSync(artifact, "utf8"));
        return caseId;
      }),
    close: host.close,
  };
}

/** The configuration with the recording wire in front of the commerce process, and a key that must show up nowhere. */
function recordedConfig(record: string) {
  const commerce = {
    command: process.execPath,
    args: [join(ROOT, "tests/support/adversary-wire.mjs"), record, join(ROOT, "dist/commerce.mjs")],
  };
  return { ...readConfig({ AFTERSALES_API_KEY: CANARIES.key, AFTERSALES_MODEL: "none" }), commerce };
}

function change(stateDir: string, work: (database: Database.Database) => unknown): void {
  const database = new Database(join(stateDir, "host", "application.db"), { fileMustExist: true, timeout: 2_000 });
  try {
    work(database);
  } finally {
    database.close();
  }
}
