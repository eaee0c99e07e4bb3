// Asks over a LangGraph server, watches each step, approves as Chen and has the refund executed. Start the server first:
//   AFTERSALES_STUDIO_REVIEWER=chen npm run studio -- --rehearsal
import { Client } from "@langchain/langgraph-sdk";

const client = new Client({ apiUrl: process.argv[2] ?? "http://127.0.0.1:2024" });
const { thread_id } = await client.threads.create();

const input = { question: "Please refund QH-1001.", language: "en" };
for await (const { event, data } of client.runs.stream(thread_id, "qinghe", {
  input,
  streamMode: ["updates"],
  streamSubgraphs: true,
})) {
  const [mode, subgraph] = event.split("|");
  const step = Object.keys(data)[0];
  if (mode === "updates" && step !== "__interrupt__") {
    console.log(subgraph === undefined ? step : `  ${subgraph.split(":")[0]}: ${step}`);
  }
}

const { tasks } = await client.threads.getState(thread_id);
const [{ id, value }] = tasks[0].interrupts;
console.log("waits:", value.summary);

await client.runs.wait(thread_id, "qinghe", { command: { resume: { [id]: value.answerWith } } });
console.log("next:", (await client.threads.getState(thread_id)).next.join());

await client.runs.wait(thread_id, "qinghe", { input: null });
const { outcome } = (await client.threads.getState(thread_id)).values;
console.log(outcome.status, outcome.receiptId);
