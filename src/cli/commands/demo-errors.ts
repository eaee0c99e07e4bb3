/** `demo-errors`: three tables about what the host knows when something fails, computed by real commerce processes with real faults. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CapRow, type ErrorRow, provokeErrors } from "../error-demo.js";
import type { RunContext } from "../run-context.js";

/** Throws `demo_failed`. What it needs is made in a temporary folder and removed. */
export async function runDemoErrors(context: RunContext): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "aftersales-demo-errors-"));
  try {
    const { categories, access, capBasis } = await provokeErrors(context, folder);
    if (context.options.json) {
      context.output.json({ categories, access, capBasis });
      return;
    }
    const tables: [string, string[]][] = [
      ["error categories", categories.map(rowText)],
      ["access failure against a valid empty answer: the invoice of one order", access.map(rowText)],
      ["cap basis: delivery fees of twelve months", capBasis.map(capText)],
    ];
    const texts = tables.map(([title, rows]) => [`=== ${title} ===`, ...rows.map((row) => `  ${row}`)].join("\n"));
    context.output.result(texts.join("\n\n"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowText(row: ErrorRow): string {
  return row.found === null ? columns(row) : `${columns(row)}  ${row.found}`;
}

function capText(row: CapRow): string {
  return `${columns(row)}  fees_cents=${row.deliveryFeesCents ?? "NONE"}`;
}

function columns({ name, error }: ErrorRow): string {
  return [
    name.padEnd(40),
    `is_error=${error !== null}`.padEnd(15),
    `category=${error?.category ?? "none"}`.padEnd(20),
    `retryable=${error?.retryable ?? false}`.padEnd(16),
    `code=${error?.code ?? "none"}`.padEnd(25),
  ]
    .join(" ")
    .trimEnd();
}
