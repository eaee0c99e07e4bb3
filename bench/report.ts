/** Owns what every measurement prints: median, minimum and maximum of its runs, the machine and the versions, as a table and as JSON. */
import { cpus, loadavg, totalmem } from "node:os";

export type Figure = { name: string; unit: string; values: number[] };

/** Prints the table for people, then one line of JSON with the same figures. `about` says what was measured. */
export function printReport(about: string, figures: readonly Figure[]): void {
  const rows = figures.map(({ name, unit, values }) => ({ name, unit, ...spread(values), runs: values.length }));
  const machine = {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    /** Of the last minutes; more than the measurement itself can cause says that others were at work. */
    load: loadavg().map((value) => rounded(value)),
  };
  const table = [
    ["what", "unit", "median", "min", "max"],
    ["---", "---", "---:", "---:", "---:"],
    ...rows.map((row) => [row.name, row.unit, String(row.median), String(row.min), String(row.max)]),
  ];
  const lines = table.map((cells) => `| ${cells.join(" | ")} |`);
  process.stdout.write(`${about}\n\n${lines.join("\n")}\n\n${JSON.stringify({ about, machine, figures: rows })}\n\n`);
}

function spread(values: readonly number[]): { median: number; min: number; max: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number) => rounded(sorted[index] ?? Number.NaN);
  return { median: at(Math.floor(sorted.length / 2)), min: at(0), max: at(sorted.length - 1) };
}

/** Three significant digits; more would be noise. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
