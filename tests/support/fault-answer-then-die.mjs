/** Sends one answer to the question that waits in a case, under one name. The test that starts it kills it before the answer is recorded. */
import { Command } from "@langchain/langgraph";
import { openAftersales } from "../../dist/open.mjs";

const [stateDir, profile, caseId, resume] = process.argv.slice(2);
const opened = await openAftersales({ stateDir, profile, model: "rehearsal" });
await opened.withCase(caseId, async () => {
  // Only now the test takes the lock that keeps the decision from being written.
  process.stdout.write("held\n");
  await new Promise((done) => process.stdin.once("data", done));
  const config = { configurable: { thread_id: caseId, __pregel_strict_resume: true }, durability: "sync" };
  await opened.graph.invoke(new Command({ resume: JSON.parse(resume) }), config);
});
process.stdout.write("decided\n");
