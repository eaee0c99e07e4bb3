// Asks for a refund as Alice, approves it as Chen, has it executed. Run it in a folder of its own: it makes a state directory there.
import { randomUUID } from "node:crypto";
import { Command } from "@langchain/langgraph";
import { openAftersales } from "qinghe-aftersales";

const caseId = randomUUID();
const run = { configurable: { thread_id: caseId }, durability: "sync" };
const open = (profile) => openAftersales({ stateDir: ".state", profile, model: "rehearsal", create: true });

const alice = await open("alice");
await alice.withCase(caseId, () => alice.graph.invoke({ question: "Please refund QH-1001.", language: "en" }, run));
const { row, approval } = await alice.read(caseId);
console.log(row.status, `CNY ${(approval.proposal.amountCents / 100).toFixed(2)}`);

const chen = await open("chen");
const [task] = (await chen.graph.getState(run)).tasks;
const answer = { decision: "approve", digest: approval.digest, by: "chen" };
await chen.withCase(caseId, () => chen.graph.invoke(new Command({ resume: { [task.interrupts[0].id]: answer } }), run));
console.log((await chen.read(caseId)).row.status);

await alice.withCase(caseId, () => alice.graph.invoke(null, run));
const settled = await alice.read(caseId);
console.log(settled.row.status, JSON.parse(settled.approval.receipt).receiptId);
await Promise.all([alice.close(), chen.close()]);
