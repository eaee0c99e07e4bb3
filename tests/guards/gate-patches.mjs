/** The guards of the gate in front of the tools, step by step, each as a patch that takes it out. The form is explained in patches.mjs. */
const STEPS = ["tests/tools/guard.test.ts"];
const GATE = ["tests/tools/gate.test.ts"];
const CASES = ["tests/graph/gate.test.ts"];
const BRIDGE = ["tests/adapters/commerce-bridge.test.ts"];

export const GATE_PATCHES = [
  {
    name: "gate: a tool has no users until it is granted",
    file: "src/tools/allowlist.ts",
    take: "new Set<string>(FOR_CUSTOMERS)",
    put: "new Set<string>(MODEL_TOOLS)",
    tests: ["tests/graph/thirteenth-tool.test.ts"],
  },
  {
    name: "gate: arguments that are not JSON are answered",
    file: "src/tools/guard.ts",
    take: 'if (call.malformed) return "arguments_not_json";',
    put: "",
    tests: STEPS,
  },
  {
    name: "gate: arguments are an object",
    file: "src/tools/guard.ts",
    take: 'if (!isPlainObject(call.args)) return "arguments_not_an_object";',
    put: "",
    tests: STEPS,
  },
  {
    name: "gate: a call has an id",
    file: "src/tools/guard.ts",
    take: 'id === undefined || id === "" ||',
    put: "id === undefined ||",
    tests: STEPS,
  },
  {
    name: "gate: one argument is bounded",
    file: "src/tools/guard.ts",
    take: "value.length > LIMITS.toolArgumentChars",
    put: "value.length > 1_000_000",
    tests: STEPS,
  },
  {
    name: "gate: all arguments together are bounded",
    file: "src/tools/guard.ts",
    take: "JSON.stringify(args).length > LIMITS.toolArgumentsJsonChars",
    put: "JSON.stringify(args).length > 1_000_000",
    tests: STEPS,
  },
  {
    name: "gate: the same call is the same in any spelling",
    file: "src/tools/guard.ts",
    take: "return `${name} ${canonicalJson(args)}`;",
    put: "return `${name} ${JSON.stringify(args)}`;",
    tests: STEPS,
  },
  {
    name: "gate: a call has no more time than its phase",
    file: "src/tools/guard.ts",
    take: "Math.min(LIMITS.toolCallMs, phaseRemainingMs())",
    put: "LIMITS.toolCallMs",
    tests: GATE,
  },
  {
    name: "gate: a deadline runs on while a step is slow",
    file: "src/tools/dispatch.ts",
    take: "const left = deadlineOf(nowMs, input.remainingMs);",
    put: "const left = deadlineOf(nowMs, () => 5_000);",
    tests: GATE,
  },
  {
    name: "gate: a tool that never answers holds nobody up",
    file: "src/tools/dispatch.ts",
    take: 'await waitFor(attempt(tool, args, input, left), refused("tool_timeout"), left(), input.signal);',
    put: "await attempt(tool, args, input, left);",
    tests: GATE,
  },
  {
    name: "gate: what comes too late is not sent",
    file: "src/adapters/commerce-bridge.ts",
    take: 'if (timeout <= 0) return { kind: "timeout" };',
    put: "",
    tests: BRIDGE,
  },
  {
    name: "gate: what was given up is not sent",
    file: "src/adapters/commerce-bridge.ts",
    take: 'if (signal?.aborted) return { kind: "cancelled" };\n      const timeout',
    put: "const timeout",
    tests: BRIDGE,
  },
  {
    name: "gate: the last milliseconds of a phase are whole",
    file: "src/adapters/commerce-reads.ts",
    take: "Math.floor(options.remainingMs())",
    put: "options.remainingMs()",
    tests: BRIDGE,
  },
  {
    name: "gate: causes are for the merchant's staff",
    file: "src/adapters/case-reader.ts",
    take: 'if (caller.role !== "reviewer") throw new AftersalesError("not_reviewer");\n      const event',
    put: "const event",
    tests: CASES,
  },
  {
    name: "gate: an unknown argument ends nothing and reaches nobody",
    file: "src/tools/guard.ts",
    take: "schema.safeParse(args).success",
    put: "schema.strip().safeParse(args).success",
    tests: CASES,
  },
  {
    name: "gate: a tool's own words are kept for the log alone",
    file: "src/tools/dispatch.ts",
    take: 'return { ...refused("tool_failed"), cause:',
    put: 'return { kind: "error", error: { ...toolError("tool_failed"), message: String(error) }, cause:',
    tests: CASES,
  },
  {
    name: "gate: a cause that is shown was masked before",
    file: "src/adapters/event-log.ts",
    take: "redact(event.cause)",
    put: "event.cause",
    tests: CASES,
  },
];
