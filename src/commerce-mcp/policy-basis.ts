/** Owns finding the mandatory policy pages that a quote rests on, and refusing to work when they are not the ones the rules restate. */
import { AftersalesError } from "../domain/errors.js";
import { isApplicable } from "../domain/policy-document.js";
import type { PolicyBasis } from "../domain/refund-policy.js";
import { documentVersionOf, type RefundRules } from "../domain/refund-rules.js";
import { KNOWLEDGE_DIR, RULES_FILE, readPolicyDocuments } from "./data-files.js";

/**
 * The text hashes of `rules.policy_pages`, in that order, from the documents in force for the rules' merchant on the business date.
 * Throws `data_invalid` when a page is not in force, is in force twice, or belongs to another edition than the rules.
 */
export function readPolicyBasis(dir: string, rules: RefundRules, businessDate: string): PolicyBasis {
  const inForce = readPolicyDocuments(dir).filter(({ document }) =>
    isApplicable(document.header, rules.tenant, businessDate),
  );
  const documentVersion = documentVersionOf(rules);
  const policyPages = rules.policy_pages.map((page) => {
    const holders = inForce.flatMap(({ file, document }) =>
      document.pages
        .filter((held) => held.page === page)
        .map(({ textHash }) => ({ file, textHash, version: document.header.version })),
    );
    const [holder, second] = holders;
    if (holder === undefined) {
      throw invalid(
        KNOWLEDGE_DIR,
        `page ${page}, which ${RULES_FILE} names, is not in force for ${rules.tenant} on ${businessDate}; check status, effective_from and effective_to of its document`,
      );
    }
    if (second !== undefined) {
      throw invalid(second.file, `page ${page} is also in force from ${holder.file}; end or archive one of them`);
    }
    if (holder.version !== documentVersion) {
      throw invalid(
        holder.file,
        `header field "version" is ${holder.version}, but ${RULES_FILE} field "version" is ${rules.version}; bring both to one edition`,
      );
    }
    return { page, textHash: holder.textHash };
  });
  return { documentVersion, policyPages };
}

function invalid(file: string, detail: string): AftersalesError {
  return new AftersalesError("data_invalid", { file, detail });
}
