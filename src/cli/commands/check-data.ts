/** `check-data`: loads a data directory as strictly as the program does, and tells what it read and what is wrong. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { AftersalesError } from "../../domain/errors.js";
import { type DataReport, openDataDesk } from "../../graph/compose-data.js";
import { printable } from "../print.js";
import { RefusedResult } from "../refused-result.js";
import type { RunContext } from "../run-context.js";

/** Throws `data_invalid` when the directory is missing, and `RefusedResult` with it when something in it is wrong. */
export async function runCheckData(context: RunContext, directory?: string): Promise<void> {
  const dataDir = directory === undefined ? context.dataDir : resolve(directory);
  if (!existsSync(dataDir)) {
    throw new AftersalesError("data_invalid", {
      file: dataDir,
      detail: "is no directory; name one that holds business.json",
    });
  }
  const desk = openDataDesk(dataDir);
  const report = desk.inspect();
  const dataHash = desk.hash();
  if (context.options.json) context.output.json({ dataDir, dataHash, ok: report.defects.length === 0, ...report });
  else context.output.result(textOf(dataDir, dataHash, report));
  const [first] = report.defects;
  if (first !== undefined) {
    throw new RefusedResult(
      new AftersalesError("data_invalid", { file: first.file, detail: printable(`${first.place}: ${first.advice}`) }),
    );
  }
}

function textOf(dataDir: string, dataHash: string, { counts, documents, rule, defects }: DataReport): string {
  const lines = [
    `Data:      ${dataDir} (SHA-256 ${dataHash})`,
    `Read:      ${counts.products} products, ${counts.orders} orders, ${counts.profiles} profiles, ${counts.procedures} procedures, ` +
      `${counts.synonymGroups} word groups, ${counts.questions} evaluation questions`,
    `Documents: ${counts.documents} with ${counts.pages} pages and ${counts.passages} passages`,
    ...documents.map(
      ({ id, version, status, tenant, pages, passages }) =>
        `  ${id} ${version}, ${status}, ${tenant}, ${pages} pages, ${passages} passages`,
    ),
    `Rule:      ${printable(rule ?? "not readable")}`,
    ...defects.map(({ file, place, advice }) => `Wrong:     ${printable(`${file}, ${place}: ${advice}`)}`),
    defects.length === 0 ? "Everything holds together." : `${defects.length} defects.`,
  ];
  return lines.join("\n");
}
