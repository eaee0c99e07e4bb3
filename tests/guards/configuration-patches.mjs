/** The guards around starting the commerce service and around committed configuration. The form is explained in patches.mjs. */
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
