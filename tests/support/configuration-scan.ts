/** Finds secrets in configuration that is meant to be committed: literals, default values, credentials inside addresses and arguments. */

export type Finding = { path: string; problem: "literal" | "default" | "credentials" | "token" };

const VARIABLE = /^\$\{[A-Z][A-Z0-9_]*\}$/;
/** What a header may say before its variable: `Bearer ${TOKEN}`. */
const HEADER_VARIABLE = /^(?:(?:Bearer|Basic|Token) )?\$\{[A-Z][A-Z0-9_]*\}$/i;
const DEFAULT = /\$\{[^}]*:?[-=][^}]*\}/;

/** A name holds a secret when one of its words says so: `SESSION_COOKIE` does, `KEYBOARD_LAYOUT` and `MONKEY` do not. */
const SECRET_WORDS = new Set(
  `key keys apikey secret secrets token tokens password passwd passwords pwd passphrase pass credential credentials dsn auth authorization
  pat cookie cookies bearer signature`.split(/\s+/),
);
/** Written together, as in `DBPASSWORD`. */
const SECRET_ENDING = /(?:password|passwd|passphrase|secret|token|apikey|credentials?)$/;

/** Shapes that are a secret wherever they stand. */
const TOKENS: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{4,}/,
  /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_)[A-Za-z0-9_-]{8,}/,
  /\bAKIA[0-9A-Z]{12,}/,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
];
const URL_CREDENTIALS = /\b[a-z][a-z0-9+.-]*:\/\/(?<user>[^\s/:@?#]*):(?<password>[^\s/@]*)@/gi;
/** `api_key=…` in a query, `Password=…` in a connection string, `TOKEN=…` before a command, `--token=…` and `--token …` in one text. */
const ASSIGNMENT = /(?<![\w-])(?:--?)?(?<name>[A-Za-z_][\w.-]*)=(?<value>[^\s;&"']*)/g;
const OPTION = /(?<![\w-])--(?<name>[a-z][\w-]*)\s+(?<value>[^\s-]\S*)/gi;

export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  if (words.some((word) => SECRET_WORDS.has(word) || SECRET_ENDING.test(word))) return true;
  // The address of a database usually carries its password; the address of a service does not.
  return words.some((word) => /^(?:url|uri)$/.test(word)) && words.some((word) => /^(?:db|database)$/.test(word));
}

/** Every finding in a parsed configuration file, in reading order. `path` names members by dots and list places by numbers. */
export function scanConfiguration(value: unknown, path = ""): Finding[] {
  if (typeof value === "string") return scanText(value, path);
  if (Array.isArray(value)) return value.flatMap((item, index) => scanItem(value[index - 1], item, `${path}.${index}`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const isHeader = /(?:^|\.)headers$/i.test(path);
    // A script is named after what it does; only its command line can hold anything.
    const own = path !== "scripts" && isSecretName(name) ? scanSecret(member, at, isHeader) : [];
    return own.length > 0 ? own : scanConfiguration(member, at);
  });
}

/** The same for a file of `name=value` lines, such as `.npmrc`. */
export function scanLines(text: string): Finding[] {
  const lines = text.split("\n").filter((line) => !/^\s*(?:[#;]|$)/.test(line));
  return lines.flatMap((line) => {
    const [name = "", ...rest] = line.replace(/^\s*export\s+/, "").split("=");
    return scanConfiguration({ [name.trim()]: rest.join("=").trim() });
  });
}

/** An argument after its option (`--token`, `sk-…`) or a header after `-H`. */
function scanItem(before: unknown, item: unknown, path: string): Finding[] {
  if (typeof item !== "string" || typeof before !== "string") return scanConfiguration(item, path);
  const isValue = /^--?[A-Za-z]/.test(before) && !before.includes("=") && !item.startsWith("-");
  const [, header = "", content = ""] = /^([A-Za-z-]+):\s*(.*)$/.exec(item) ?? [];
  const own =
    isValue && isSecretName(before)
      ? scanSecret(item, path, false)
      : /^(?:-H|--header)$/.test(before) && isSecretName(header)
        ? scanSecret(content, path, true)
        : [];
  return own.length > 0 ? own : scanText(item, path);
}

function scanSecret(value: unknown, path: string, isHeader: boolean): Finding[] {
  // An object or a list under such a name is structure, and what it holds is looked at by itself; null and a switch hold nothing.
  if (typeof value !== "string" && typeof value !== "number") return [];
  const text = String(value);
  if (VARIABLE.test(text) || (isHeader && HEADER_VARIABLE.test(text))) return [];
  return [{ path, problem: DEFAULT.test(text) ? "default" : "literal" }];
}

function scanText(text: string, path: string): Finding[] {
  if (TOKENS.some((shape) => shape.test(text))) return [{ path, problem: "token" }];
  for (const { groups } of text.matchAll(URL_CREDENTIALS)) {
    const parts = [groups?.user ?? "", groups?.password ?? ""].filter((part) => part !== "");
    if (!parts.every((part) => VARIABLE.test(part))) return [{ path, problem: "credentials" }];
  }
  for (const { groups } of [...text.matchAll(ASSIGNMENT), ...text.matchAll(OPTION)]) {
    const [found] = isSecretName(groups?.name ?? "") ? scanSecret(groups?.value ?? "", path, false) : [];
    if (found !== undefined) return [found];
  }
  return [];
}
