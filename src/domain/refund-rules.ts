/** Owns the shape of refund_rules.json: the executable refund policy, maintained by hand beside the document it restates. */
import { z } from "zod";
import { PageId, TenantId } from "./ids.js";

export const RefundRules = z
  .strictObject({
    version: z.string().regex(/^returns-[0-9]{4}-[0-9]{2}$/),
    tenant: TenantId,
    return_days: z.int().min(1).max(365),
    excluded_categories: z.array(z.enum(["custom", "digital"])),
    automatic_quantity: z.literal(1),
    policy_pages: z.array(PageId).min(1).max(4),
    /** Terms in force on the day of the request judge every delivery, older ones included. */
    terms_by: z.literal("request_date"),
    currency: z.literal("CNY"),
    description: z.strictObject({ zh: z.string().min(1), en: z.string().min(1) }),
  })
  .refine((rules) => new Set(rules.policy_pages).size === rules.policy_pages.length, {
    path: ["policy_pages"],
    message: "names a page twice",
  });
export type RefundRules = z.infer<typeof RefundRules>;

/** `returns-2026-09` belongs to the document version `2026-09`; a quote over any other edition is refused. */
export function documentVersionOf(rules: RefundRules): string {
  return rules.version.slice("returns-".length);
}
