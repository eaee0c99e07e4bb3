/** The guards around approval, payment, and what is kept and shown, each as a patch that takes it out. The form is explained in patches.mjs. */
const GRANTS = ["tests/commerce-mcp/refund-guards.test.ts"];

export const MONEY_PATCHES = [
  // Approval and payment.
  {
    name: "only a reviewer approves",
    file: "src/domain/approval.ts",
    take: 'if (reviewersOnly && !isReviewer) return "not_reviewer";',
    put: "",
    tests: ["tests/domain/approval.test.ts"],
  },
  {
    name: "nobody approves the own request",
    file: "src/domain/approval.ts",
    take: 'if (reviewersOnly && isApplicant) return "self_approval";',
    put: "",
    tests: ["tests/domain/approval.test.ts"],
  },
  {
    name: "a decision names the exact proposal",
    file: "src/domain/approval.ts",
    take: "answer.digest !== approval.digest || ",
    put: "",
    tests: ["tests/domain/approval.test.ts"],
  },
  {
    name: "a decision is made once",
    file: "src/domain/approval.ts",
    take: 'if (!isOpen(approval)) return "already_decided";',
    put: "",
    tests: ["tests/domain/approval.test.ts"],
  },
  {
    name: "an expired proposal is not approved",
    file: "src/domain/approval.ts",
    take: 'if (answer.decision === "approve" && standingOf(approval, nowMs) !== "live") return "approval_expired";',
    put: "",
    tests: ["tests/domain/approval.test.ts"],
  },
  {
    name: "a receipt equals its proposal",
    file: "src/nodes/settle.ts",
    take: "if (differences.length > 0)",
    put: "if (differences.length > 99)",
    tests: ["tests/faults/settlement.test.ts"],
  },
  {
    name: "a grant belongs to its approval",
    file: "src/commerce-mcp/refunds.ts",
    take: 'if (proposal.approvalId !== approvalId) throw new Refusal("grant_other_approval");',
    put: "",
    tests: GRANTS,
  },
  {
    name: "a grant is signed text, byte for byte",
    file: "src/commerce-mcp/grants.ts",
    take: 'return Buffer.from(grantText(grant.data), "utf8").equals(payload) ? grant.data : null;',
    put: "return grant.data;",
    tests: GRANTS,
  },
  {
    name: "a grant says what kind of text it is",
    file: "src/commerce-mcp/grants.ts",
    take: "return ProtectedHeader.safeParse(protectedHeader).success ? payload : null;",
    put: "return protectedHeader === null ? null : payload;",
    tests: GRANTS,
  },
  {
    name: "a late payment is refused",
    file: "src/commerce-mcp/refunds.ts",
    take: "if (isExpired(proposal, nowMs) || !decidedInTime)",
    put: "if (nowMs < 0)",
    tests: GRANTS,
  },
  {
    name: "a revoked reviewer pays nothing",
    file: "src/commerce-mcp/refunds.ts",
    take: "if (!deps.readProfiles().some(reviews))",
    put: "if (deps.readProfiles().some(reviews) === null)",
    tests: GRANTS,
  },
  {
    name: "a changed order is not paid",
    file: "src/commerce-mcp/refunds.ts",
    take: "if (!matchesQuote(proposal, quote) || terms(proposal) !== terms(quote))",
    put: "if (terms(proposal) === null || quote === null || !matchesQuote)",
    tests: GRANTS,
  },
  {
    name: "the service reads its customer's orders only",
    file: "src/commerce-mcp/owned-records.ts",
    take: '    .where("user_id", "=", identity.user)\n    .where(({ lit })',
    put: "    .where(({ lit })",
    tests: ["tests/commerce-mcp/contract.test.ts"],
  },
  // What is kept and shown.
  {
    name: "secrets are masked in causes",
    file: "src/adapters/event-log.ts",
    take: "redact(event.cause).slice(0, CAUSE_CHARS)",
    put: "event.cause.slice(0, CAUSE_CHARS)",
    tests: ["tests/adapters/event-log.test.ts"],
  },
  {
    name: "a stranger learns nothing of a case",
    file: "src/adapters/case-reader.ts",
    take: "row === null || !mayAccessCase(row, caller)",
    put: "row === null",
    tests: ["tests/cli/commands.test.ts", "tests/graph/authority.test.ts"],
  },
  {
    name: "a record shows markup and does not become it",
    file: "src/domain/case-record.ts",
    take: '.replaceAll("://", "&#58;//")',
    put: "",
    tests: ["tests/domain/case-record.test.ts"],
  },
];
