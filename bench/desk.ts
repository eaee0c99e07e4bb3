/** Owns playing one whole refund case in this process, as the commands do it: ask, approve by digest, settle. */
import { randomUUID } from "node:crypto";
import { CaseId } from "../src/domain/ids.js";
import type { Progress } from "../src/domain/ports.js";
import { chooseModel, createHost, type Host, identityOf, singleCaller, systemClocks } from "../src/graph/compose.js";
import { openSession } from "../src/graph/session.js";
import { InstantModel } from "./instant-model.js";
import { benchConfig, type Merchant } from "./merchant.js";

export type Desk = {
  host: Host;
  /** From the question to the receipt. Throws unless the case is completed with a receipt. `seen` is told when each part is done. */
  play(orderId: string, seen?: (part: "ask" | "approve" | "settle") => void): Promise<CaseId>;
  close(): Promise<void>;
};

/** One host, as in the program; alice asks and resumes, chen decides. `progress` hears what a command would show. */
export async function openDesk(
  merchant: Merchant,
  options: { keepHistory?: boolean; progress?: Progress } = {},
): Promise<Desk> {
  const config = benchConfig();
  const alice = identityOf(merchant.dataDir, "alice");
  const chen = identityOf(merchant.dataDir, "chen");
  const model = new InstantModel();
  const host = createHost({
    ...merchant,
    ...options,
    config,
    clocks: systemClocks,
    models: () => chooseModel(config, "live", model),
    callers: singleCaller(alice),
  });
  const session = await openSession(host, alice);
  return {
    host,
    async play(orderId, seen = () => undefined) {
      const caseId = CaseId.parse(randomUUID());
      const question = { question: `Please refund ${orderId} and explain the amount.`, language: "en" as const };
      await session.begin(caseId, question, { caller: alice, settle: false });
      seen("ask");
      const { approval } = await session.read(caseId);
      const answer = { decision: "approve", digest: approval?.digest, by: chen.user };
      const decided = await session.decide(caseId, answer, chen);
      if (!decided.ok) throw new Error(`${orderId}: ${decided.code}`);
      await session.drive(caseId, { caller: alice, settle: false });
      seen("approve");
      await session.drive(caseId, { caller: alice, settle: true });
      seen("settle");
      const { row, approval: settled } = await session.read(caseId);
      if (row.status !== "completed" || settled?.receipt == null) throw new Error(`${orderId}: ${row.status}`);
      return caseId;
    },
    close: host.close,
  };
}
