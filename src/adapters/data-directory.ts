/** Owns reading the merchant's data on the host's side: profiles, rules, documents, business date. Strict, with errors that say where. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AftersalesError } from "../domain/errors.js";
import { type Identity, ProfilesFile } from "../domain/identity.js";
import { CalendarDate, type TenantId } from "../domain/ids.js";
import type { PolicyDocument } from "../domain/policy-document.js";
import { isApplicable } from "../domain/policy-document.js";
import type { RefundTerms } from "../domain/ports.js";
import type { PolicyBasis } from "../domain/refund-policy.js";
import { documentVersionOf, RefundRules } from "../domain/refund-rules.js";

/** Throws `data_invalid` with the file and the field. */
export function readDataFile<T>(dataDir: string, file: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(join(dataDir, file), "utf8"));
  } catch (error) {
    const detail = error instanceof SyntaxError ? "is not valid JSON" : "cannot be read";
    throw new AftersalesError("data_invalid", { file, detail }, { cause: error });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new AftersalesError("data_invalid", {
    file,
    detail: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`,
  });
}

/** The identity a local profile stands for. Throws `unknown_profile`. */
export function readProfile(dataDir: string, name: string): Identity {
  const { profiles } = readDataFile(dataDir, "profiles.json", ProfilesFile);
  const found = profiles.find((profile) => profile.user === name);
  if (found !== undefined) return found;
  throw new AftersalesError("unknown_profile", {
    profile: name.slice(0, 40),
    known: profiles.map((profile) => profile.user).join(", "),
  });
}

/** The day that refund windows are judged by. The commerce process keeps its own copy from seeding. */
export function readBusinessDate(dataDir: string): string {
  return readDataFile(dataDir, "business.json", z.looseObject({ as_of: CalendarDate })).as_of;
}

export function createRefundTerms(dataDir: string, documents: readonly PolicyDocument[]): RefundTerms {
  const rules = readDataFile(dataDir, "refund_rules.json", RefundRules);
  const businessDate = readBusinessDate(dataDir);
  return {
    rules,
    businessDate,
    basisFor(tenant: TenantId): PolicyBasis {
      if (tenant !== rules.tenant) return { documentVersion: null, policyPages: [] };
      const policyPages = rules.policy_pages.map((pageId) => {
        const document = documents.find(({ pages }) => pages.some(({ page }) => page === pageId));
        const page = document?.pages.find((candidate) => candidate.page === pageId);
        if (document === undefined || page === undefined || !isApplicable(document.header, tenant, businessDate)) {
          throw new AftersalesError("policy_page_not_accessible");
        }
        if (document.header.version !== documentVersionOf(rules)) {
          throw new AftersalesError("rule_document_version_mismatch");
        }
        return { page: pageId, textHash: page.textHash };
      });
      return { documentVersion: documentVersionOf(rules), policyPages };
    },
  };
}
