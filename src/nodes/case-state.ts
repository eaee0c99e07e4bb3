/** Owns the shapes that live in graph state. Working memory only: small, JSON, rebuilt by strict schemas; never an authority. */
import { z } from "zod";
import { Answer, Plan } from "../domain/contracts.js";
import { Fact, OpenPoint, PassageRef } from "../domain/evidence.js";
import { Language, Sha256Hex } from "../domain/ids.js";
import { Proposal } from "../domain/proposal.js";
import { Quote } from "../domain/refund-policy.js";
import { Outcome } from "./case-outcome.js";

/** A past call and its one answer, by reference: facts and passages are kept once, not once per step. */
export const CallAnswer = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("fact"), sourceId: z.string() }),
  z.strictObject({ kind: z.literal("passages"), ids: z.array(z.string()), covered: z.boolean().nullable() }),
  z.strictObject({ kind: z.literal("text"), ok: z.boolean(), content: z.string() }),
]);
export type CallAnswer = z.infer<typeof CallAnswer>;

export const Turn = z.strictObject({
  text: z.string(),
  calls: z.array(z.strictObject({ id: z.string(), name: z.string(), args: z.string(), answer: CallAnswer })),
});
export type Turn = z.infer<typeof Turn>;

/** Calls a model asked for and that have not run yet; `args` is JSON text whatever arrived. */
export const PendingCall = z.strictObject({
  id: z.string().nullable(),
  name: z.string(),
  args: z.string(),
  malformed: z.boolean(),
});
export type PendingCall = z.infer<typeof PendingCall>;

/** The waiting proposal as people see it in the graph. What counts is the approvals row. */
export const ProposalView = z.strictObject({ ...Proposal.shape, digest: Sha256Hex });
export type ProposalView = z.infer<typeof ProposalView>;

export const caseChannels = {
  question: z.string(),
  language: Language,
  graphVersion: z.string().default(""),
  brief: Plan.nullable().default(null),
  facts: z.array(Fact).default(() => []),
  evidence: z.array(PassageRef).default(() => []),
  quote: Quote.nullable().default(null),
  openPoints: z.array(OpenPoint).default(() => []),
  answer: Answer.nullable().default(null),
  /** The code that an answer of the host explains, for the case's final state. */
  problem: z.string().nullable().default(null),
  proposal: ProposalView.nullable().default(null),
  refusal: z.string().nullable().default(null),
  outcome: Outcome.nullable().default(null),
};

export const investigateChannels = {
  transcript: z.array(Turn).default(() => []),
  pending: z.array(PendingCall).default(() => []),
  said: z.string().default(""),
  turns: z.int().default(0),
  fingerprints: z.array(z.string()).default(() => []),
  finished: z.boolean().default(false),
};

export const reviewChannels = {
  candidate: Answer.nullable().default(null),
  feedback: z.string().nullable().default(null),
  rewrites: z.int().default(0),
};

type Values<Channels extends Record<string, z.ZodType>> = { [Name in keyof Channels]: z.infer<Channels[Name]> };
export type CaseState = Values<typeof caseChannels>;
export type InvestigateState = Pick<
  CaseState,
  "question" | "language" | "brief" | "facts" | "evidence" | "quote" | "openPoints"
> &
  Values<typeof investigateChannels>;
export type ReviewState = Pick<
  CaseState,
  "question" | "language" | "brief" | "facts" | "evidence" | "quote" | "openPoints" | "answer" | "problem"
> &
  Values<typeof reviewChannels>;
