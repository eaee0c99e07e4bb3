/** The guards of what a model is shown, each as a patch that takes it out. The form is explained in patches.mjs. */
const PROMPTS = ["tests/nodes/prompts.test.ts"];
const RELOAD = ["tests/graph/context-reload.test.ts"];

export const PROMPT_PATCHES = [
  {
    name: "prompt: nothing from outside is among the instructions",
    file: "src/nodes/plan.ts",
    take: "system: systemText(PLAN_PROMPT),",
    put: "system: systemText(PLAN_PROMPT) + question,",
    tests: PROMPTS,
  },
  {
    name: "prompt: data is one line that nothing in it can end",
    file: "src/nodes/investigate-think.ts",
    take: "user: JSON.stringify(context.payload),",
    put: "user: JSON.stringify(context.payload, null, 1),",
    tests: PROMPTS,
  },
  {
    name: "prompt: the review sees what it judges and no more",
    file: "src/nodes/critique.ts",
    take: "    const base = {\n",
    put: "    const base = {\n      open_points: state.openPoints,\n",
    tests: PROMPTS,
  },
  {
    name: "prompt: a request names its prompt and version",
    file: "src/nodes/prompts/prompt.ts",
    take: "return `${promptName(prompt)}\\n$",
    put: "return `$",
    tests: PROMPTS,
  },
  {
    name: "prompt: data is called data",
    file: "src/nodes/prompts/prompt.ts",
    take: "\\n\\n${DATA_RULE}`;",
    put: "`;",
    tests: PROMPTS,
  },
  {
    name: "context: passages are chosen by their sequence",
    file: "src/domain/evidence.ts",
    take: "const byNewest = [...kept].sort((a, b) => b.sequence - a.sequence);",
    put: "const byNewest = [...kept];",
    tests: RELOAD,
  },
  {
    name: "context: records are chosen by their sequence",
    file: "src/nodes/context.ts",
    take: "const bySequence = [...facts].sort((a, b) => a.sequence - b.sequence);",
    put: "const bySequence = [...facts];",
    tests: RELOAD,
  },
  {
    name: "context: what is shown fits",
    file: "src/nodes/context.ts",
    take: "if (size <= LIMITS.payloadChars) return { payload, turns };",
    put: "if (size <= 2 * LIMITS.payloadChars) return { payload, turns };",
    tests: RELOAD,
  },
];
