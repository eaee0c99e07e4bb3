/** The guards around starting the commerce service, its descriptions, and committed configuration. The form is explained in patches.mjs. */
const DECLARED = ["tests/commerce-mcp/declaration.test.ts"];
const SECRETS = ["tests/configuration-secrets.test.ts"];
const SCANNER = "tests/support/configuration-scan.ts";

export const CONFIGURATION_PATCHES = [
  {
    name: "the commerce service is read-only unless it was started with the writes allowed",
    file: "src/commerce-mcp/server.ts",
    take: "deps.allowWrites === true ? [...reads, ...writes] : reads",
    put: "[...reads, ...writes]",
    tests: ["tests/commerce-mcp/contract.test.ts"],
  },
  {
    name: "the declared commerce service is started read-only",
    file: ".mcp.json",
    take: '"dist/commerce.mjs",',
    put: '"dist/commerce.mjs", "--allow-writes",',
    tests: DECLARED,
  },
  {
    name: "the declaration holds no value of its own",
    file: ".mcp.json",
    take: "${QINGHE_COMMERCE_PROFILE}",
    put: "${QINGHE_COMMERCE_PROFILE:-alice}",
    tests: DECLARED,
  },
  {
    name: "a description says which sibling is right instead",
    file: "src/commerce-mcp/read-tools.ts",
    take: "for tracking and where the parcel is, use get_shipment. For the invoice",
    put: "for the invoice",
    tests: ["tests/commerce-mcp/tool-policy.test.ts"],
  },
  {
    name: "a boundary is read as the sibling's ground",
    file: "src/adapters/tool-router.ts",
    take: "returns: 0.3, named: 0.5, boundary: 0.8",
    put: "returns: 0.3, named: 0, boundary: 0",
    tests: ["tests/evaluation/routing.test.ts"],
  },
  {
    name: "a default value of a secret is found",
    file: ".mcp.json",
    take: "${QINGHE_COMMERCE_PUBLIC_KEY}",
    put: "${QINGHE_COMMERCE_PUBLIC_KEY:-e30}",
    tests: SECRETS,
  },
  {
    name: "a secret has to be one bare variable",
    file: SCANNER,
    take: "const VARIABLE = /^\\$\\{[A-Z][A-Z0-9_]*\\}$/;",
    put: "const VARIABLE = /\\$\\{[A-Za-z0-9_:-]*\\}/;",
    tests: SECRETS,
  },
  {
    name: "arguments are scanned for secrets",
    file: SCANNER,
    take: "    isValue && isSecretName(before)",
    put: "    isValue && item.length === 0",
    tests: SECRETS,
  },
  {
    name: "addresses are scanned for credentials",
    file: SCANNER,
    take: "if (!parts.every((part) => VARIABLE.test(part)))",
    put: "if (parts.length > 2)",
    tests: SECRETS,
  },
  {
    name: "the names of secrets include the uncommon ones",
    file: SCANNER,
    take: "  pat cookie cookies bearer",
    put: "  bearer",
    tests: SECRETS,
  },
];
