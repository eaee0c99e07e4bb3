import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { CLI, ROOT, type Run, runProcess } from "../support/workspace.js";

/** Runs the demonstration and removes the state it keeps. */
async function demo(args: readonly string[] = []): Promise<Run> {
  const run = await runProcess(process.execPath, [CLI, "demo", ...args]);
  const stateDir = /State of this run \(kept\): (.+)$/m.exec(run.stdout)?.[1];
  onTestFinished(() => {
    if (stateDir !== undefined) rmSync(stateDir, { recursive: true, force: true });
  });
  expect(stateDir !== undefined && existsSync(stateDir)).toBe(true);
  return run;
}

it("tells the whole refund story, says that the model is no LLM, and keeps its state", async () => {
  const run = await demo();
  expect(run.code).toBe(0);
  const told = [
    "The answers come from the rehearsal model: rules, not an LLM.",
    'Alice asks: "Please process the refund for QH-1001',
    "The case waits with one exact proposal: CNY 129.00 for QH-1001",
    "Refused:",
    "(not_reviewer)",
    "So CNY 129.00, not CNY 141.00: the invoice includes delivery, which is not refunded.",
    "Chen approves exactly this digest.",
    "Receipt SIM-",
    "Nothing is paid again: the same receipt",
    "# After-sales case record (SIMULATED)",
  ];
  let from = 0;
  for (const part of told) {
    const at = run.stdout.indexOf(part, from);
    expect(at, part).toBeGreaterThanOrEqual(0);
    from = at;
  }
  for (const phase of ["Understanding the question", "Reading records", "Waiting for a reviewer", "refund executed"]) {
    expect(run.stderr).toContain(phase);
  }
});

it("loses a reply when asked to, and tells how often was asked and how often was paid", async () => {
  const run = await demo(["--lose-reply"]);
  expect(run.code, run.stderr).toBe(0);
  expect(run.stdout).toContain(
    "The line to the service breaks in the worst moment: the money has moved, the reply is lost.",
  );
  expect(run.stdout).toContain("Attempts: 2. Refunds in the service's ledger: 1.");
  expect(run.stdout).toContain("Nothing is paid again: the same receipt");
});

it("tells the amount of the data it runs on", async () => {
  const data = mkdtempSync(join(tmpdir(), "aftersales-data-"));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  cpSync(join(ROOT, "data"), data, { recursive: true });
  const file = join(data, "business.json");
  const Business = z.looseObject({
    orders: z.array(
      z.looseObject({
        order_id: z.string(),
        paid_items_cents: z.int(),
        list_price_cents: z.int(),
        invoice: z.looseObject({ total_cents: z.int() }),
      }),
    ),
  });
  const business = Business.parse(JSON.parse(readFileSync(file, "utf8")));
  for (const order of business.orders) {
    if (order.order_id !== "QH-1001") continue;
    order.list_price_cents += 777;
    order.paid_items_cents += 777;
    order.invoice.total_cents += 777;
  }
  writeFileSync(file, JSON.stringify(business));
  const run = await demo(["--data", data]);
  expect(run.code).toBe(0);
  expect(run.stdout).toContain("one exact proposal: CNY 136.77 for QH-1001");
  expect(run.stdout).toContain("So CNY 136.77, not CNY 148.77");
  expect(run.stdout).not.toContain("129.00");
});

it("prints one JSON object for programs", async () => {
  const run = await runProcess(process.execPath, [CLI, "demo", "--json"]);
  const value = z
    .looseObject({
      stateDir: z.string(),
      amountCents: z.literal(12900),
      receipt: z.looseObject({ receiptId: z.string() }),
    })
    .parse(JSON.parse(run.stdout));
  rmSync(value.stateDir, { recursive: true, force: true });
  expect(run.code).toBe(0);
});
