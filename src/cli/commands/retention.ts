/** `purge` and `forget`: remove texts, events, steps and records of finished cases; decisions and receipts stay. */
import { AftersalesError } from "../../domain/errors.js";
import type { RunContext } from "../run-context.js";

const DAY_MS = 86_400_000;

/** `90d` in milliseconds. Throws `usage`. */
function ageMs(text: string): number {
  const days = /^([0-9]{1,5})d$/.exec(text)?.[1];
  if (days === undefined)
    throw new AftersalesError("usage", { detail: "--older-than takes a number of days, such as 90d" });
  return Number(days) * DAY_MS;
}

export async function runPurge(context: RunContext, flags: { olderThan: string }): Promise<void> {
  const beforeMs = context.clocks.runtime.nowMs() - ageMs(flags.olderThan);
  const purged = await (await context.host().retention()).purge(context.identity(), beforeMs);
  if (context.options.json) context.output.json({ purged });
  else context.output.result(`${purged.length} finished cases purged. Their decisions and receipts are kept.`);
}

export async function runForget(context: RunContext, caseId: string): Promise<void> {
  const identity = context.identity();
  const { row } = await (await context.host().reader()).read(caseId, identity);
  context.speak(row.language);
  await (await context.host().retention()).forget(row.caseId, identity);
  if (context.options.json) context.output.json({ caseId: row.caseId, forgotten: true });
  else
    context.output.result(
      row.language === "zh"
        ? "案件内容已删除；决定与收据保留。"
        : "The case is forgotten; its decision and receipt are kept.",
    );
}
