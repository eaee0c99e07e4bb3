/** Owns what one data file must agree on with another: who exists, which pages the refund rule rests on, which pages labels name. */
import type { BusinessData } from "../domain/business-data.js";
import type { Identity } from "../domain/identity.js";
import { isApplicable, type PolicyDocument } from "../domain/policy-document.js";
import { documentVersionOf, type RefundRules } from "../domain/refund-rules.js";
import { RETRIEVAL_QUESTIONS_FILE, type RetrievalQuestions } from "./retrieval-questions.js";

/** One thing that is wrong: the file below the data directory, the record, page or field in it, and what to do. */
export type DataDefect = { file: string; place: string; advice: string };

/** What could be read; null where the file itself is broken, which is told elsewhere. */
export type ReadData = {
  business: BusinessData | null;
  profiles: readonly Identity[] | null;
  rules: RefundRules | null;
  documents: readonly { file: string; document: PolicyDocument }[];
  questions: RetrievalQuestions | null;
};

export function crossings(data: ReadData): DataDefect[] {
  return [
    ...profileDefects(data),
    ...orderDefects(data),
    ...tenantDefects(data),
    ...ruleDefects(data),
    ...labelDefects(data),
  ];
}

function profileDefects({ profiles }: ReadData): DataDefect[] {
  const users = (profiles ?? []).map(({ user }) => user);
  const twice = [...new Set(users.filter((user, index) => users.indexOf(user) !== index))];
  return twice.map((user) => ({
    file: "profiles.json",
    place: user,
    advice: "appears twice; a profile is named after its user, so give each user one profile",
  }));
}

function orderDefects({ business, profiles }: ReadData): DataDefect[] {
  if (business === null || profiles === null) return [];
  return business.orders
    .filter((order) => !profiles.some(({ tenant, user }) => tenant === order.tenant && user === order.user))
    .map((order) => ({
      file: "business.json",
      place: order.order_id,
      advice: `belongs to ${order.user} of ${order.tenant}, who is not in profiles.json; add the profile or correct the order`,
    }));
}

function tenantDefects({ documents, rules, profiles }: ReadData): DataDefect[] {
  if (profiles === null) return [];
  const known = new Set(profiles.map(({ tenant }) => tenant));
  const advice = (tenant: string): string =>
    `names the merchant ${tenant}, who has no profile in profiles.json; add one or correct the name`;
  return [
    ...documents
      .filter(({ document }) => !known.has(document.header.tenant))
      .map(({ file, document }) => ({ file, place: 'header field "tenant"', advice: advice(document.header.tenant) })),
    ...(rules === null || known.has(rules.tenant)
      ? []
      : [{ file: "refund_rules.json", place: 'field "tenant"', advice: advice(rules.tenant) }]),
  ];
}

function ruleDefects({ rules, documents, business }: ReadData): DataDefect[] {
  if (rules === null || business === null) return [];
  return rules.policy_pages.flatMap((page) => {
    const advice = pageProblem(page, rules, business.as_of, documents);
    return advice === null ? [] : [{ file: "refund_rules.json", place: page, advice }];
  });
}

/** What keeps a mandatory page from carrying a quote on the business date. */
function pageProblem(
  page: string,
  rules: RefundRules,
  businessDate: string,
  documents: ReadData["documents"],
): string | null {
  const found = documents.find(({ document }) => document.pages.some((candidate) => candidate.page === page));
  if (found === undefined) return "is in no document that could be read; write the page or name another";
  const { header } = found.document;
  if (!isApplicable(header, rules.tenant, businessDate)) {
    return (
      `is not in force for ${rules.tenant} on ${businessDate}: ${found.file} belongs to ${header.tenant}, is ${header.status} ` +
      `and holds from ${header.effective_from} to ${header.effective_to ?? "further notice"}; correct its header or name another page`
    );
  }
  const version = documentVersionOf(rules);
  if (header.version === version) return null;
  return `is of version ${header.version} in ${found.file}, the rules are of ${version}; bring both to one version`;
}

function labelDefects({ questions, documents }: ReadData): DataDefect[] {
  if (questions === null) return [];
  const known = new Set(documents.flatMap(({ document }) => document.pages.map(({ page }) => page)));
  const labels = [
    ...questions.questions.flatMap(({ id, pages }) => pages.map((page) => ({ id, page }))),
    ...questions.nearCopies.flatMap(({ id, page }) => (page === null ? [] : [{ id, page }])),
  ];
  return labels
    .filter(({ page }) => !known.has(page))
    .map(({ id, page }) => ({
      file: RETRIEVAL_QUESTIONS_FILE,
      place: id,
      advice: `names the page ${page}, which no document has; correct the label`,
    }));
}
