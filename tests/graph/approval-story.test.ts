/** One case that meets everything that can befall an approval, in both languages: each refusal has its code and a sentence in the case's language. */
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { approvalOf, approvalsOf, caseOf, moneyOf, PAID_ONCE, UNPAID } from "../support/graph-case.js";
import type { Person } from "../support/lifecycle-reference.js";
import { createWorld } from "../support/lifecycle-world.js";

const START_MS = Date.parse("2026-09-12T10:00:00.000Z");
const APPROVAL_MS = 900_000;
const QUESTIONS = { en: "Please refund QH-1001.", zh: "请为 QH-1001 办理退款。" };

test.each(["en", "zh"] as const)(
  "an approval that is refused, late, stale, renewed and paid says so in %s",
  async (language) => {
    const world = await createWorld(START_MS);
    onTestFinished(world.close);
    const { workspace } = world;
    let nowMs = START_MS;
    const later = (ms: number): void => {
      nowMs += ms;
      world.setClock(nowMs);
    };
    const { caseId } = await world.command("alice", "ask", QUESTIONS[language], "--language", language);
    const id = z.string().parse(caseId);
    const digest = (): string => approvalOf(workspace, id).digest;
    /** The command ends with this code and, if it is one, a sentence in the case's language. */
    const expectCode = async (code: string | null, who: Person, ...args: string[]): Promise<void> => {
      const answer = await world.command(who, ...args);
      expect([answer.code, args[0]]).toEqual([code, args[0]]);
      // A case that waits again is no failed command: its reason stands in the case.
      if (answer.exit === 0) return;
      const said = answer.said.split("\n").find((line) => line.includes(`(${code})`)) ?? "";
      expect(/\p{Script=Han}/u.test(said), said).toBe(language === "zh");
    };
    const approve = (given = digest()): string[] => ["review", id, "--digest", given, "--approve"];

    await expectCode("not_reviewer", "alice", ...approve());
    await expectCode("digest_mismatch", "chen", ...approve("0".repeat(64)));
    await expectCode("decision_not_yours", "chen", "withdraw", id);
    later(APPROVAL_MS + 1);
    await expectCode("approval_expired", "chen", ...approve());
    expect(approvalOf(workspace, id)).toMatchObject({ state: "pending", grant_jws: null });

    const first = digest();
    await expectCode(null, "alice", "requote", id);
    await expectCode("digest_mismatch", "chen", ...approve(first));
    await expectCode(null, "chen", ...approve());
    workspace.tamper("commerce", "update orders set version = version + 1 where order_id = 'QH-1001'");
    await expectCode("quote_changed", "alice", "resume", id);
    expect(caseOf(workspace, id)).toMatchObject({ status: "waiting_approval", phase: "approve" });

    await expectCode(null, "chen", "requote", id);
    await expectCode(null, "chen", ...approve());
    later(APPROVAL_MS + 1);
    await expectCode("approval_expired", "alice", "resume", id);
    expect(moneyOf(workspace)).toEqual({ ...UNPAID, version: 2 });
    expect(caseOf(workspace, id)).toMatchObject({ status: "waiting_approval", phase: "approve" });

    await expectCode(null, "alice", "requote", id);
    await expectCode(null, "chen", ...approve());
    await expectCode("already_decided", "chen", "review", id, "--digest", digest(), "--reject");
    await expectCode("already_decided", "alice", "withdraw", id);
    await expectCode(null, "alice", "resume", id);
    await expectCode("already_decided", "alice", "requote", id);
    expect(moneyOf(workspace)).toEqual({ ...PAID_ONCE, version: 3 });
    expect(approvalsOf(workspace, id).map(({ state, void_code }) => void_code ?? state)).toEqual([
      "requoted",
      "requoted",
      "requoted",
      "settled",
    ]);
  },
);
