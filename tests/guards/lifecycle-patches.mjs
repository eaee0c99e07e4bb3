/** The guards around a case's life, each as a patch that takes it out. The form is explained in patches.mjs. */
export const LIFECYCLE_PATCHES = [
  {
    name: "life cycle: a result that JSON cannot hold is not saved as one",
    file: "src/adapters/leased-saver.ts",
    take: 'if (!channel.startsWith("__")) assertPlainJson(content, channel);',
    put: "if (channel === content) return;",
    tests: ["tests/adapters/leased-saver.test.ts"],
  },
  {
    name: "life cycle: a clock set back revives no approval",
    file: "src/adapters/approval-ledger.ts",
    take: "Math.max(clock.nowMs(), Date.parse(row.latest))",
    put: "clock.nowMs()",
    tests: ["tests/adapters/approval-ledger.test.ts"],
  },
];
