/** The guards of the server for Studio and other clients, each as a patch that takes it out. The form is explained in patches.mjs. */
const LOCAL = ["tests/graph/studio.test.ts"];

export const STUDIO_PATCHES = [
  {
    name: "Studio: a reviewer decides only if the operator named one",
    file: "src/graph/studio.ts",
    take: "const decider = reviewer === null ? null : identityOf(dataDir, reviewer);",
    put: 'const decider = identityOf(dataDir, reviewer ?? "chen");',
    tests: LOCAL,
  },
  {
    name: "Studio: an answer counts as the reviewer's only when signed with that name",
    file: "src/graph/studio.ts",
    take: "parsed.success && decider !== null && parsed.data.by === decider.user ? decider : asker",
    put: "parsed.success && decider !== null ? decider : asker",
    tests: LOCAL,
  },
  {
    name: "Studio: no foreign web page uses the server",
    file: "src/graph/studio-doors.ts",
    take: 'if (origin !== null && !PAGES.test(origin)) refuse("this page may not use the server");',
    put: "",
    tests: LOCAL,
  },
  {
    name: "Studio: a foreign name for this machine is refused",
    file: "src/graph/studio-doors.ts",
    take: 'if (!HOSTS.test(host)) refuse("the server answers only as localhost or 127.0.0.1");',
    put: "",
    tests: LOCAL,
  },
  {
    name: "Studio: a run's state is sent to nobody",
    file: "src/graph/studio-doors.ts",
    take: 'if (kwargs.webhook != null) refuse("webhooks are not allowed");',
    put: "",
    tests: LOCAL,
  },
];
