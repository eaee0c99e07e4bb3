/** Owns the form of a policy document: parsing one file into pages and passages, and the hash that names a page's exact text. */
import { z } from "zod";
import { digestOf, textHash } from "./canonical.js";
import { CalendarDate, Language, PageId, PassageId, Sha256Hex, TenantId } from "./ids.js";
import { LIMITS } from "./limits.js";

export const DocumentHeader = z.strictObject({
  id: z.string().regex(/^[A-Z][A-Z_]{1,40}$/),
  title: z.strictObject({ zh: z.string().min(1), en: z.string().min(1) }),
  category: z.enum(["refund", "delivery", "warranty", "invoice", "agreement", "procedure"]),
  tenant: TenantId,
  status: z.enum(["active", "archived"]),
  version: z.string().regex(/^[0-9]{4}-[0-9]{2}$/),
  effective_from: CalendarDate,
  effective_to: CalendarDate.nullable(),
  fictional: z.literal(true),
});
export type DocumentHeader = z.infer<typeof DocumentHeader>;

export const Passage = z.strictObject({
  id: PassageId,
  page: PageId,
  document: z.string(),
  version: z.string(),
  language: Language,
  title: z.string(),
  heading: z.string(),
  body: z.string(),
  textHash: Sha256Hex,
});
export type Passage = z.infer<typeof Passage>;

export type DocumentPage = { page: string; textHash: Sha256Hex; passages: Passage[] };
export type PolicyDocument = { header: DocumentHeader; pages: DocumentPage[] };

/** Says what is wrong with one document and where, for the person who wrote it. */
export class DocumentProblem extends Error {
  override name = "DocumentProblem";
}

/** Whether a document's terms apply to a tenant on a day. `effective_from` is inclusive, `effective_to` exclusive. */
export function isApplicable(header: DocumentHeader, tenant: TenantId, businessDate: string): boolean {
  return (
    header.tenant === tenant &&
    header.status === "active" &&
    header.effective_from <= businessDate &&
    (header.effective_to === null || businessDate < header.effective_to)
  );
}

/**
 * Parses one document: a JSON header in an HTML comment on the first line, one disclaimer line, then pages
 * (`## p01 中文标题 / English title`) with `### zh` and `### en`, paragraphs apart by a blank line.
 * Throws `DocumentProblem` with the place and an advice.
 */
export function parsePolicyDocument(text: string): PolicyDocument {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const header = parseHeader(lines[0] ?? "");
  const sections = lines.slice(1).join("\n").split(/^## /m).slice(1);
  if (sections.length === 0) throw new DocumentProblem('no page found; start each with a line "## p01 标题 / Title"');
  const seen = new Set<string>();
  const pages = sections.map((section) => {
    const page = parsePage(header, section);
    if (seen.has(page.page))
      throw new DocumentProblem(`page ${page.page} appears twice; give each page its own number`);
    seen.add(page.page);
    return page;
  });
  return { header, pages };
}

function parseHeader(line: string): DocumentHeader {
  const json = /^<!--\s*(\{.*\})\s*-->\s*$/.exec(line)?.[1];
  if (json === undefined) throw new DocumentProblem("the first line must be the JSON header inside <!-- and -->");
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new DocumentProblem("the header is not valid JSON; check quotes and commas in the first line");
  }
  const parsed = DocumentHeader.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new DocumentProblem(`header field "${issue?.path.join(".")}": ${issue?.message}`);
  }
  const { effective_from, effective_to } = parsed.data;
  if (effective_to !== null && effective_to <= effective_from) {
    throw new DocumentProblem("effective_to must lie after effective_from; the end day itself no longer counts");
  }
  return parsed.data;
}

function parsePage(header: DocumentHeader, section: string): DocumentPage {
  const [headline = "", ...rest] = section.split("\n");
  const match = /^(p[0-9]{2}) (.+) \/ (.+)$/.exec(headline.trim());
  if (match === null) throw new DocumentProblem(`page heading "${headline.trim()}" is not "pNN 标题 / Title"`);
  const [, number = "", zhHeading = "", enHeading = ""] = match;
  const page = `${header.id}:${number}`;
  const parts = rest.join("\n").split(/^### /m).slice(1);
  const bodies = new Map(
    parts.map((part) => [part.split("\n", 1)[0]?.trim() ?? "", part.slice(part.indexOf("\n") + 1)]),
  );
  if (parts.length !== 2 || !bodies.has("zh") || !bodies.has("en")) {
    throw new DocumentProblem(`page ${page} must have exactly one "### zh" and one "### en" part`);
  }
  const passages = Language.options.flatMap((language) =>
    paragraphsOf(bodies.get(language) ?? "", page, language).map((body, index) => ({
      id: PassageId.parse(`${page}:${language}:${index}`),
      page,
      document: header.id,
      version: header.version,
      language,
      title: header.title[language],
      heading: language === "zh" ? zhHeading : enHeading,
      body,
      textHash: textHash(body),
    })),
  );
  const textHashOfPage = digestOf("qinghe.policy-page.v1", {
    page,
    version: header.version,
    passages: passages.map(({ id, body }) => ({ id, body })),
  });
  return { page, textHash: textHashOfPage, passages };
}

function paragraphsOf(body: string, page: string, language: Language): string[] {
  const paragraphs = body
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replace(/\s*\n\s*/g, language === "zh" ? "" : " "))
    .filter((paragraph) => paragraph !== "");
  if (paragraphs.length === 0) throw new DocumentProblem(`page ${page} has no ${language} text; write both languages`);
  const long = paragraphs.findIndex((paragraph) => paragraph.length > LIMITS.paragraphChars);
  if (long >= 0) {
    throw new DocumentProblem(
      `page ${page}, ${language} paragraph ${long + 1} is longer than ${LIMITS.paragraphChars} characters; split it where the meaning changes`,
    );
  }
  return paragraphs;
}
