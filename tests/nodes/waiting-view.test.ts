import { describe, expect, it } from "vitest";
import { Proposal, proposalDigest } from "../../src/domain/proposal.js";
import type { ProposalView } from "../../src/nodes/case-state.js";
import { waitingView } from "../../src/nodes/waiting-view.js";

const HASH = "a".repeat(64);
const proposal = Proposal.parse({
  approvalId: "ap-5af875bd-df65-4513-b027-69177cae84af-1",
  caseId: "5af875bd-df65-4513-b027-69177cae84af",
  tenant: "qinghe",
  applicant: "alice",
  orderId: "QH-1001",
  orderVersion: 1,
  ruleVersion: "returns-2026-09",
  documentVersion: "2026-09",
  policyPages: [{ page: "RETURNS:p02", textHash: HASH }],
  businessDate: "2026-09-12",
  quoteId: HASH,
  amountCents: 12_900,
  currency: "CNY",
  createdAt: "2026-09-12T08:00:00.000Z",
  expiresAt: "2026-09-12T08:15:00.000Z",
});
const made: ProposalView = { ...proposal, digest: proposalDigest(proposal) };
const signing = { by: "chen", note: { en: "Sign as chen.", zh: "以 chen 签署。" } };
const view = (shown: ProposalView | null, language: "zh" | "en" = "en", refusal: string | null = null) =>
  waitingView({ proposal: shown, refusal, language }, signing);

describe("what a waiting case shows", () => {
  it("is the proposal, what is missing and the answer to send, in the case's language", () => {
    expect(view(made)).toMatchObject({
      summary: "QH-1001, CNY 129.00",
      missing: expect.stringContaining("by a reviewer of qinghe other than alice"),
      answerWith: { decision: "approve", digest: made.digest, by: "chen" },
      signing: "Sign as chen.",
    });
    expect(view(made, "zh")).toMatchObject({ missing: expect.stringContaining("尚未付款"), signing: "以 chen 签署。" });
  });

  it("says why the last answer was refused", () => {
    expect(view(made, "en", "digest_mismatch")).toMatchObject({
      refusal: "digest_mismatch",
      refusalReason: expect.stringContaining("not that of the waiting proposal"),
    });
    expect(view(made, "en", "something a client wrote")).toMatchObject({ refusalReason: null });
  });

  it.each([
    ["another amount beside the real digest", { ...made, amountCents: Proposal.shape.amountCents.parse(1) }],
    ["another applicant beside the real digest", { ...made, applicant: Proposal.shape.applicant.parse("bob") }],
    ["a digest of something else", { ...made, digest: made.quoteId }],
  ])("shows no proposal that somebody edited: %s", (_what, edited) => {
    expect(view(edited)).toMatchObject({
      summary: null,
      digest: null,
      proposal: null,
      answerWith: { digest: null },
      missing: expect.stringContaining("somebody edited it"),
    });
  });
});
