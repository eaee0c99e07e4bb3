/** Owns reading the file of labelled customer questions: one row, one case, and the outcome that is right for it. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { AftersalesError } from "../domain/errors.js";

export const EvaluationRow = z.strictObject({
  id: z.string().min(1),
  profile: z.string().min(1),
  language: z.enum(["en", "zh", "mixed", "other"]),
  intent: z.string(),
  actionRequested: z.string(),
  orderId: z.string().nullable(),
  question: z.string(),
  tags: z.array(z.string()),
  expectedStatus: z.enum(["waiting_approval", "completed", "needs_input"]),
  expectedReason: z.string().nullable(),
  expectedAmountCents: z.int().nullable(),
  must: z.array(z.string()),
  mustNot: z.array(z.string()),
});
export type EvaluationRow = z.infer<typeof EvaluationRow>;

const COLUMNS = 13;

/** Tab-separated without quoting; `\n`, `\r` and `\uXXXX` in a question stand for the real characters. Throws `data_invalid`. */
export function readEvaluationRows(file: string): EvaluationRow[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new AftersalesError("data_invalid", { file, detail: "cannot be read" }, { cause: error });
  }
  const [, ...lines] = text.split("\n").filter((line) => line !== "");
  return lines.map((line, index) => parseRow(line, `${file} line ${index + 2}`));
}

function parseRow(line: string, where: string): EvaluationRow {
  const cells = line.replace(/\r$/, "").split("\t");
  if (cells.length !== COLUMNS)
    throw new AftersalesError("data_invalid", { file: where, detail: `must have ${COLUMNS} columns` });
  const [
    id,
    profile,
    language,
    intent,
    actionRequested,
    orderId,
    question = "",
    tags = "",
    status,
    reason,
    cents,
    must = "",
    mustNot = "",
  ] = cells;
  const parsed = EvaluationRow.safeParse({
    id,
    profile,
    language,
    intent,
    actionRequested,
    orderId: orderId === "-" ? null : orderId,
    question: question
      .replace(/\\u([0-9a-fA-F]{4})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replaceAll("\\n", "\n")
      .replaceAll("\\r", "\r"),
    tags: listed(tags),
    expectedStatus: status,
    expectedReason: reason === "-" ? null : reason,
    expectedAmountCents: cents === "-" ? null : Number(cents),
    must: listed(must),
    mustNot: listed(mustNot),
  });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new AftersalesError("data_invalid", { file: where, detail: `${issue?.path.join(".")}: ${issue?.message}` });
}

function listed(cell: string): string[] {
  return cell
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "" && part !== "-");
}
