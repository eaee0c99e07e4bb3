/** Owns masking secrets in text meant for engineers. Nothing here is a permission to log customer text: causes are error texts only. */

const FORMS: readonly (readonly [RegExp, string])[] = [
  [/\b(authorization\s*[:=]\s*"?)(?:bearer|basic)?\s*[^\s",;]+/gi, "$1[masked]"],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, "$1 [masked]"],
  [
    /(["']?\b[\w-]*(?:api[_-]?key|apikey|password|passwd|secret|token|credential)["']?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s,;&}]+)/gi,
    "$1[masked]",
  ],
  [/\bsk-[A-Za-z0-9_-]{6,}/g, "[masked]"],
  [/\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/g, "[masked]"],
  [/(\w+:\/\/)[^\s/:@]+:[^\s/@]+@/g, "$1[masked]@"],
];

/** Replaces what looks like a key, token, password or credential in a URL. */
export function redact(text: string): string {
  return FORMS.reduce((masked, [form, replacement]) => masked.replace(form, replacement), text);
}
