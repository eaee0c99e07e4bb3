/** The guards around the live model, each as a patch that takes it out. The form is explained in patches.mjs. */
const WIRE = ["tests/adapters/live-model.test.ts"];
const CONFIG = ["tests/adapters/config.test.ts"];
const REPLIES = ["tests/live/bad-replies.test.ts"];
const PROCESS = ["tests/live/process.test.ts"];

export const LIVE_PATCHES = [
  {
    name: "live: a request leaves once",
    file: "src/adapters/live-model.ts",
    take: "maxRetries: 0,",
    put: "maxRetries: 1,",
    tests: REPLIES,
  },
  {
    name: "live: a redirect is not followed",
    file: "src/adapters/live-model.ts",
    take: 'fetchOptions: { redirect: "error" },',
    put: "",
    tests: WIRE,
  },
  {
    name: "live: the library prints no requests",
    file: "src/adapters/live-model.ts",
    take: 'logLevel: "off",',
    put: "",
    tests: PROCESS,
  },
  {
    name: "live: the body has a deadline too",
    file: "src/adapters/chat-models.ts",
    take: "AbortSignal.any([signal, timeout])",
    put: "AbortSignal.any([signal])",
    tests: WIRE,
  },
  {
    name: "live: a provider's words and the key stay outside",
    file: "src/adapters/chat-models.ts",
    take: "const cause = { cause: new Error(describe(error)) };",
    put: "const cause = { cause: error };",
    tests: WIRE,
  },
  {
    name: "live: a cut-off reply is not used",
    file: "src/adapters/chat-models.ts",
    take: 'if (finish !== undefined && finish !== null && finish !== "stop" && finish !== "tool_calls") {',
    put: 'if (finish === "none") {',
    tests: REPLIES,
  },
  {
    name: "live: a malformed reply is asked for once more",
    file: "src/nodes/ask-model.ts",
    take: "if (first.ok) return first;",
    put: "if (first.ok || !first.ok) return first;",
    tests: REPLIES,
  },
  {
    name: "live: each request is charged",
    file: "src/nodes/ask-model.ts",
    take: 'if ((await budget.charge(unit.caseId, "model", 1)) < 1) throw new AftersalesError("model_budget_exhausted");',
    put: "void budget;",
    tests: REPLIES,
  },
  {
    name: "live: tracing is off",
    file: "src/adapters/config.ts",
    take: "...(optedIn ? [] : TRACING), ",
    put: "",
    tests: PROCESS,
  },
  {
    name: "live: the libraries' own printing is off",
    file: "src/adapters/config.ts",
    take: '"LANGCHAIN_VERBOSE"]',
    put: "]",
    tests: PROCESS,
  },
  {
    name: "live: tracing is announced",
    file: "src/cli/main.ts",
    take: "if (config.isTraced) output.say(",
    put: "if (config.isTraced && options.json === undefined) output.say(",
    tests: PROCESS,
  },
  {
    name: "live: a server is never traced",
    file: "src/adapters/config.ts",
    take: "mayTrace && environment",
    put: "environment",
    tests: CONFIG,
  },
  {
    name: "live: a key goes to no address of another provider",
    file: "src/adapters/model-settings.ts",
    take: 'firstOf(env, "BASE_URL", families)',
    put: 'firstOf(env, "BASE_URL", FAMILIES)',
    tests: CONFIG,
  },
  {
    name: "live: a key goes to another machine only encrypted",
    file: "src/adapters/model-settings.ts",
    take: 'return protocol === "http:" && isLocal ? null :',
    put: 'return protocol === "http:" ? null :',
    tests: CONFIG,
  },
  {
    name: "live: an env file starts no program",
    file: "src/adapters/env-file.ts",
    take: "MODEL_VARIABLES.filter(",
    put: "[...MODEL_VARIABLES, ...Object.keys(listed)].filter(",
    tests: CONFIG,
  },
];
