/** Measures search: how long an index takes to build, how long a question takes, and the memory it holds, at three sizes. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { createKnowledgeBase } from "../src/adapters/knowledge-base.js";
import { loadPolicyDocuments } from "../src/adapters/policy-documents.js";
import { loadRetrievalQuestions } from "../src/adapters/retrieval-questions.js";
import { loadSynonyms } from "../src/adapters/synonyms.js";
import { TenantId } from "../src/domain/ids.js";
import type { Passage, PolicyDocument } from "../src/domain/policy-document.js";
import { type Figure, printReport } from "./report.js";

/** What the shipped documents hold; the larger sizes are generated. */
const SHIPPED = 152;
const SIZES = [SHIPPED, 10_000, 100_000];
const RUNS = 5;
const DATA = "data";
const TENANT = TenantId.parse("qinghe");
const BUSINESS_DATE = "2026-09-12";
/** How many questions one run asks, in turn from the evaluation set. */
const QUESTIONS = 400;

const Run = z.strictObject({ buildMs: z.number(), memoryMiB: z.number(), p50Ms: z.number(), p99Ms: z.number() });
type Run = z.infer<typeof Run>;

const size = process.argv[2];
if (size === undefined) parent();
else process.stdout.write(JSON.stringify(await measure(Number(size))));

/** Each run has a process of its own, so that no run warms or fills another's heap. */
function parent(): void {
  const figures: Figure[] = [];
  for (const passages of SIZES) {
    const runs = Array.from({ length: RUNS }, (_, run) => {
      process.stderr.write(`search: ${passages} passages, run ${run + 1} of ${RUNS}\n`);
      const script = fileURLToPath(import.meta.url);
      const printed = execFileSync(process.execPath, ["--expose-gc", script, String(passages)], { encoding: "utf8" });
      return Run.parse(JSON.parse(printed));
    });
    const of = (what: keyof Run) => runs.map((run) => run[what]);
    const name = (what: string) => `${passages} passages: ${what}`;
    figures.push(
      { name: name("build the indexes of both languages"), unit: "ms", values: of("buildMs") },
      { name: name("one question, p50"), unit: "ms", values: of("p50Ms") },
      { name: name("one question, p99"), unit: "ms", values: of("p99Ms") },
      { name: name("memory held by the indexes"), unit: "MiB", values: of("memoryMiB") },
    );
  }
  printReport(`Search, ${QUESTIONS} questions of the evaluation set per run, ${RUNS} runs`, figures);
}

async function measure(passages: number): Promise<Run> {
  const documents = loadPolicyDocuments(DATA);
  const corpus = passages === SHIPPED ? documents : generated(documents, passages);
  const { questions } = loadRetrievalQuestions(DATA);
  const before = heapAfterCollection();
  const knowledge = createKnowledgeBase({
    documents: corpus,
    businessDate: BUSINESS_DATE,
    synonyms: () => loadSynonyms(DATA),
  });
  const started = performance.now();
  for (const language of ["zh", "en"] as const) await knowledge.search({ tenant: TENANT, language }, "x");
  const buildMs = performance.now() - started;
  const memoryMiB = (heapAfterCollection() - before) / 2 ** 20;
  const taken: number[] = [];
  for (let i = 0; i < QUESTIONS; i += 1) {
    const { language, question } = at(questions, (i * 7) % questions.length);
    const asked = performance.now();
    await knowledge.search({ tenant: TENANT, language }, question);
    taken.push(performance.now() - asked);
  }
  taken.sort((a, b) => a - b);
  const share = (part: number) => at(taken, Math.floor(QUESTIONS * part));
  return { buildMs, memoryMiB, p50Ms: share(0.5), p99Ms: share(0.99) };
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`There is no item ${index} of ${list.length}.`);
  return item;
}

/** Passages made of the real ones' sentences, mixed by a fixed sequence, so that words are as frequent as in real text. */
function generated(documents: readonly PolicyDocument[], count: number): PolicyDocument[] {
  const document = documents.find(({ header }) => header.status === "active" && header.tenant === TENANT);
  if (document === undefined) throw new Error("The data directory has no active document.");
  const next = sequence();
  const passages = (["zh", "en"] as const).flatMap((language) => {
    const models = documents
      .flatMap(({ pages }) => pages.flatMap((page) => page.passages))
      .filter((p) => p.language === language);
    const sentences = models.flatMap(({ body }) => body.split(/(?<=[。！？.!?])\s*/u)).filter((text) => text !== "");
    return Array.from({ length: count / 2 }, (_, i): Passage => {
      const model = at(models, next(models.length));
      const body = Array.from({ length: 4 }, () => sentences[next(sentences.length)]).join(
        language === "zh" ? "" : " ",
      );
      return { ...model, id: `${model.id}-${i}`, page: `${model.document}:g${Math.floor(i / 3)}`, body };
    });
  });
  return [{ header: document.header, pages: [{ ...at(document.pages, 0), passages }] }];
}

/** A small linear congruential sequence (Numerical Recipes): the same passages every time. */
function sequence(): (below: number) => number {
  let state = 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function heapAfterCollection(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
