/** `remember`: saves the language of later cases, with explicit consent. Nothing else can be remembered. */
import { AftersalesError } from "../../domain/errors.js";
import { Language } from "../../domain/ids.js";
import type { RunContext } from "../run-context.js";

/** Throws `consent_required`, `invalid_language`, `customer_role_required`. */
export async function runRemember(context: RunContext, flags: { language: string; consent?: boolean }): Promise<void> {
  const language = Language.safeParse(flags.language);
  if (!language.success) throw new AftersalesError("invalid_language");
  const identity = context.identity();
  if (identity.role !== "customer") throw new AftersalesError("customer_role_required");
  if (flags.consent !== true) throw new AftersalesError("consent_required");
  const { preferences } = await context.host().stores();
  await preferences.save(identity, language.data);
  if (context.options.json) context.output.json({ language: language.data, saved: true });
  else context.output.result(`Later cases of ${identity.user} use ${language.data} unless they say otherwise.`);
}
