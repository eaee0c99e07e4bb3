/** Owns the package's entry: the supported way for a TypeScript program to work on the same cases as the command line. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { CaseFile } from "../domain/ports.js";
import { chooseModel, createHost, identityOf, readConfig, singleCaller, systemClocks } from "./compose.js";
import { initialise } from "./compose-state.js";
import { openSession } from "./session.js";
import type { SupportGraph } from "./support-graph.js";

export type OpenOptions = {
  /** Where the state lives; made with everything in it when `create` is true. */
  stateDir: string;
  /** Whose name every question and decision of this handle counts under: a profile of the data directory. */
  profile: string;
  /** `live`, `rehearsal`, or any LangChain chat model. */
  model: "live" | "rehearsal" | BaseChatModel;
  dataDir?: string;
  create?: boolean;
};

export type Aftersales = {
  graph: SupportGraph;
  /** Holds the case's lease around `work`. Every `graph.invoke` belongs inside; the thread id is the case id, a UUID. */
  withCase<T>(caseId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** The case as it stands on disk. */
  read(caseId: string): Promise<CaseFile>;
  close(): Promise<void>;
};

/** Throws `state_missing`, `unknown_profile`, `data_invalid`; `model_not_configured` when a model is first needed. */
export async function openAftersales(options: OpenOptions): Promise<Aftersales> {
  const config = readConfig();
  const dataDir = options.dataDir ?? config.dataDir;
  const base = { config, stateDir: options.stateDir, dataDir, clocks: systemClocks };
  const identity = identityOf(dataDir, options.profile);
  if (options.create === true) await initialise(base);
  const { model } = options;
  const host = createHost({
    ...base,
    models: () => (typeof model === "string" ? chooseModel(config, model) : chooseModel(config, "live", model)),
    callers: singleCaller(identity),
  });
  const session = await openSession(host, identity);
  return { graph: session.graph, withCase: session.withCase, read: session.read, close: host.close };
}
