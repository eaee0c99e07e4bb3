/** Owns looking into values of unknown shape. Every reader returns something usable and throws nothing. */

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function textsOf(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

export function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** A whole number of cents, or null: 129.5, -1 and "100" are not amounts. */
export function centsOf(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

export function integerOf(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : null;
}

/** A calendar day `YYYY-MM-DD`, or null. */
export function dayOf(value: unknown): string | null {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : null;
}

export function parseFields(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}
