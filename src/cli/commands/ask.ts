/** `ask`: opens a case for one question and works on it until it waits or ends. */
import { randomUUID } from "node:crypto";
import { Question } from "../../domain/contracts.js";
import { AftersalesError } from "../../domain/errors.js";
import { CaseId, Language } from "../../domain/ids.js";
import { finishWithCase } from "../finish.js";
import type { RunContext } from "../run-context.js";

export async function runAsk(
  context: RunContext,
  question: string,
  flags: { language?: string; oneStep?: boolean },
): Promise<void> {
  const { output, signal } = context;
  if (flags.language === "zh") context.speak("zh");
  // Everything that can be refused is refused before a case exists.
  if (!Question.safeParse(question).success) throw new AftersalesError("invalid_question");
  const identity = context.identity();
  if (identity.role !== "customer") throw new AftersalesError("customer_role_required");
  const wanted = flags.language ?? (await savedLanguage(context)) ?? "zh";
  const language = Language.safeParse(wanted);
  if (!language.success) throw new AftersalesError("invalid_language");
  context.speak(language.data);
  context.requireModel();
  // While the libraries load here, the commerce process can start on its own.
  void context.host().commerce.prepare(identity);
  const session = await context.session();
  const caseId = CaseId.parse(randomUUID());
  output.say(language.data === "zh" ? `案件 ${caseId}` : `Case ${caseId}`);
  await finishWithCase(context, session, caseId, () =>
    session.begin(
      caseId,
      { question, language: language.data },
      { caller: identity, signal, oneStep: flags.oneStep === true, settle: false },
    ),
  );
}

async function savedLanguage(context: RunContext): Promise<Language | null> {
  const { preferences } = await context.host().stores();
  return preferences.language(context.identity());
}
