/** Owns the channels of the three graphs. Their names are a persisted contract: a change needs a new graph version. */
import { StateSchema } from "@langchain/langgraph";
import { caseChannels, investigateChannels, reviewChannels } from "../nodes/case-state.js";

const { question, language, brief, facts, evidence, quote, openPoints, answer, problem } = caseChannels;

/** All that a client may set. */
export const CaseInput = new StateSchema({ question, language: language.optional() });
export const CaseChannels = new StateSchema(caseChannels);

/** What is not in an input schema is private to the subgraph and starts fresh on every entry. */
export const InvestigateInput = new StateSchema({ question, language, brief });
export const InvestigateOutput = new StateSchema({ facts, evidence, quote, openPoints });
export const InvestigateChannels = new StateSchema({
  question,
  language,
  brief,
  facts,
  evidence,
  quote,
  openPoints,
  ...investigateChannels,
});

export const ReviewInput = new StateSchema({ question, language, brief, facts, evidence, quote, openPoints });
export const ReviewOutput = new StateSchema({ answer, problem });
export const ReviewChannels = new StateSchema({
  question,
  language,
  brief,
  facts,
  evidence,
  quote,
  openPoints,
  answer,
  problem,
  ...reviewChannels,
});
