/** `search`: what the documents in force say about a question, as the search tool would find it. Needs no state and no model. */
import { AftersalesError } from "../../domain/errors.js";
import { Language } from "../../domain/ids.js";
import { LIMITS } from "../../domain/limits.js";
import { openDataDesk } from "../../graph/compose-data.js";
import { printable } from "../print.js";
import type { RunContext } from "../run-context.js";

const WORDS = {
  en: {
    covered: "The documents speak of this.",
    uncovered: "The documents do not seem to answer this; what follows only shares words with the question.",
    nothing: "Nothing in the documents shares a word with this question.",
  },
  zh: {
    covered: "文件讲到了这个问题。",
    uncovered: "文件似乎没有回答这个问题；下面的内容只是用词相近。",
    nothing: "文件里没有与这个问题用词相近的内容。",
  },
} as const;

/** Throws `invalid_search_query`, `invalid_language`. */
export async function runSearch(context: RunContext, query: string, flags: { language?: string }): Promise<void> {
  if (query.trim() === "" || query.length > LIMITS.searchQueryChars) throw new AftersalesError("invalid_search_query");
  const language = Language.safeParse(flags.language ?? (/\p{Script=Han}/u.test(query) ? "zh" : "en"));
  if (!language.success) throw new AftersalesError("invalid_language");
  context.speak(language.data);
  const { tenant } = context.identity();
  const found = await openDataDesk(context.dataDir).knowledge().search({ tenant, language: language.data }, query);
  if (context.options.json) {
    const passages = found.passages.map(({ id, page, score, title, body }) => ({ id, page, score, title, body }));
    context.output.json({ passages, covered: found.covered });
    return;
  }
  const words = WORDS[language.data];
  const verdict = found.covered ? words.covered : found.passages.length === 0 ? words.nothing : words.uncovered;
  const blocks = found.passages.map(
    ({ id, score, title, heading, body }) =>
      `${id}  ${score.toFixed(2)}\n${printable(`${title} · ${heading}`)}\n${printable(body)}`,
  );
  context.output.result([verdict, ...blocks].join("\n\n"));
}
