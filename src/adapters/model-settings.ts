/** Owns the live model's settings: which variable each value comes from, and whether it can be used. */

export type LiveModelSettings = { apiKey: string; model: string; baseUrl: string };

/** The variable each value was taken from; null where it is the default or nothing set it. */
export type SettingSources = { apiKey: string | null; model: string | null; baseUrl: string | null };

export type LiveModelConfig = { sources: SettingSources } & (
  | { ok: true; settings: LiveModelSettings }
  | { ok: false; code: "model_not_configured"; missing: string }
  | { ok: false; code: "model_settings_invalid"; variable: string; detail: string }
);

type Environment = Record<string, string | undefined>;
type Found = { name: string; value: string };

const FAMILIES = ["AFTERSALES", "DEEPSEEK", "OPENAI"] as const;
type Family = (typeof FAMILIES)[number];

export const MODEL_VARIABLES = FAMILIES.flatMap((family) =>
  ["API_KEY", "MODEL", "BASE_URL"].map((value) => `${family}_${value}`),
);

const DEEPSEEK_URL = "https://api.deepseek.com";
const OPENAI_URL = "https://api.openai.com/v1";

/**
 * Per value AFTERSALES_*, then DEEPSEEK_*, then OPENAI_*; blank counts as not set. The base URL alone follows the key: a provider's key is
 * never sent to the address of another provider, only to its own or to one named for this program.
 */
export function readModelSettings(env: Environment): LiveModelConfig {
  const key = firstOf(env, "API_KEY", FAMILIES);
  const model = firstOf(env, "MODEL", FAMILIES);
  const families = FAMILIES.filter((family) => family === "AFTERSALES" || isFamilyOf(key, family));
  const url = firstOf(env, "BASE_URL", families);
  const sources = { apiKey: key?.name ?? null, model: model?.name ?? null, baseUrl: url?.name ?? null };
  if (key === null) return { ok: false, code: "model_not_configured", missing: "AFTERSALES_API_KEY", sources };
  if (model === null) return { ok: false, code: "model_not_configured", missing: "AFTERSALES_MODEL", sources };
  const baseUrl = url?.value ?? (key.name === "OPENAI_API_KEY" ? OPENAI_URL : DEEPSEEK_URL);
  const invalid = (variable: string, detail: string): LiveModelConfig => ({
    ok: false,
    code: "model_settings_invalid",
    variable,
    detail,
    sources,
  });
  if (!/^[\x21-\x7e]+$/.test(key.value)) return invalid(key.name, "it holds a blank or a character no key has");
  const defect = defectOf(baseUrl);
  if (defect !== null) return invalid(url?.name ?? "AFTERSALES_BASE_URL", defect);
  return { ok: true, settings: { apiKey: key.value, model: model.value, baseUrl }, sources };
}

function isFamilyOf(key: Found | null, family: Family): boolean {
  return key === null || key.name === "AFTERSALES_API_KEY" || key.name.startsWith(family);
}

function firstOf(env: Environment, value: string, families: readonly Family[]): Found | null {
  for (const family of families) {
    const name = `${family}_${value}`;
    const text = env[name]?.trim();
    if (text !== undefined && text !== "") return { name, value: text };
  }
  return null;
}

/** A key in clear text is acceptable only to this machine. */
function defectOf(baseUrl: string): string | null {
  if (!URL.canParse(baseUrl)) return "it is no address";
  const { protocol, hostname, username, password, search, hash } = new URL(baseUrl);
  if (username !== "" || password !== "") return "it holds a user name or password; the key has its own variable";
  if (search !== "" || hash !== "") return "it must end with a path";
  if (protocol === "https:") return null;
  const isLocal = hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  return protocol === "http:" && isLocal ? null : "it must begin with https:// (http:// only for this machine)";
}
