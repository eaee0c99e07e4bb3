/** Owns putting the program together: the only place where ports meet the adapters behind them. */
import { openApplicationDatabase } from "../adapters/application-database.js";
import type { AuditReport } from "../adapters/audit.js";
import type { CapBasis } from "../adapters/cap-basis.js";
import { createCaseReader } from "../adapters/case-reader.js";
import { type CommerceLine, createCommerceLine } from "../adapters/commerce-line.js";
import { environmentWithCommerce, type HostConfig, packageVersion, readConfig } from "../adapters/config.js";
import { createRefundTerms, readProfile } from "../adapters/data-directory.js";
import { createKnowledgeBase } from "../adapters/knowledge-base.js";
import { loadPolicyDocuments } from "../adapters/policy-documents.js";
import type { Retention } from "../adapters/retention.js";
import { statePaths } from "../adapters/state-directory.js";
import type { Stores } from "../adapters/stores.js";
import { loadSynonyms } from "../adapters/synonyms.js";
import { toAftersalesError } from "../adapters/to-error.js";
import { type Clock, neverBackwards } from "../domain/clock.js";
import type { Identity } from "../domain/identity.js";
import type { Applicant, CaseReader, ChatModels, Knowledge, Progress, RefundTerms, ToolSpec } from "../domain/ports.js";
import { createQuoteOrder } from "../tools/calculate-refund.js";
import type { GraphHost } from "./graph-host.js";
import type { Callers } from "./lease-wrapper.js";
import { once } from "./once.js";
import { OWN_NAME } from "./signing.js";
import { GRAPH_VERSION } from "./version.js";

export type Clocks = {
  /** Wall clock: approvals, leases, timestamps. */
  runtime: Clock;
  /** Milliseconds that only ever grow: deadlines and durations. */
  monotonicMs: () => number;
};

export const systemClocks: Clocks = { runtime: { nowMs: () => Date.now() }, monotonicMs: () => performance.now() };

export type HostOptions = {
  config: HostConfig;
  stateDir: string;
  dataDir: string;
  clocks: Clocks;
  /** Asked for when a model is first needed; may throw `model_not_configured`. */
  models: () => ChatModels;
  callers: Callers;
  progress?: Progress;
  /** Keep superseded checkpoints of waiting and ended cases, for looking back at each step. */
  keepHistory?: boolean;
  onStderr?: (text: string) => void;
};

/** Everything of one program run, opened on first use and closed together. */
export type Host = {
  graph: () => Promise<GraphHost>;
  keepHistory: boolean;
  stores: () => Promise<Stores>;
  reader: () => Promise<CaseReader>;
  knowledge: () => Knowledge;
  terms: () => RefundTerms;
  commerce: CommerceLine;
  retention: () => Promise<Retention>;
  audit: (caller: Identity) => Promise<AuditReport>;
  capBasis: (caller: Identity) => Promise<CapBasis>;
  close: () => Promise<void>;
};

export function createHost(options: HostOptions): Host {
  const { dataDir } = options;
  const clocks = { ...options.clocks, runtime: neverBackwards(options.clocks.runtime) };
  const paths = statePaths(options.stateDir);
  const documents = once(() => loadPolicyDocuments(dataDir));
  const terms = once(() => createRefundTerms(dataDir, documents()));
  const synonyms = once(() => loadSynonyms(dataDir));
  const knowledge = once(() =>
    createKnowledgeBase({
      documents: documents(),
      businessDate: terms().businessDate,
      synonyms,
    }),
  );
  const models = once(options.models);
  // Looking at a case takes its database and nothing else; what works on cases is loaded when it is needed.
  const database = once(() => openApplicationDatabase(paths.applicationDb, { create: false, stateDir: paths.root }));
  const stores = once(async () => {
    const [db, { openStores }] = await Promise.all([database(), import("../adapters/stores.js")]);
    return openStores({ paths, clock: clocks.runtime, create: false, db });
  });
  const commerce = createCommerceLine({
    process: options.config.commerce,
    paths,
    dataDir,
    ...(options.onStderr === undefined ? {} : { onStderr: options.onStderr }),
  });
  const reader = once(async () => createCaseReader({ db: await database(), knowledge }));
  const graph = once(async (): Promise<GraphHost> => {
    const [opened, { loadProcedures }, { createNodes }, { createRunUnit }, { createToolRegistry }, { modelSpecs }] =
      await Promise.all([
        stores(),
        import("../adapters/procedures.js"),
        import("./nodes.js"),
        import("./lease-wrapper.js"),
        import("./tools.js"),
        import("../tools/model-specs.js"),
      ]);
    const { cases, approvals, budget, preferences, notes, artifacts } = opened;
    const procedures = loadProcedures(dataDir);
    // A broken file has to show before a case is opened, not with its first search.
    synonyms();
    const quoteOrder = createQuoteOrder({ commerceFor: commerce.reads, terms: terms(), knowledge: knowledge() });
    const registryFor = createToolRegistry({
      commerce: commerce.reads,
      quoteOrder,
      knowledge: knowledge(),
      procedures,
      preferences,
      notes,
    });
    const nodes = createNodes({
      cases,
      approvals,
      budget,
      preferences,
      notes,
      artifacts,
      procedures,
      knowledge: knowledge(),
      quoteOrder,
      registryFor,
      settlementFor: commerce.settlement,
      models,
      clock: clocks.runtime,
      nowMs: clocks.monotonicMs,
      graphVersion: GRAPH_VERSION,
    });
    const runUnit = createRunUnit({
      cases,
      events: opened.events,
      leases: opened.leases,
      callers: options.callers,
      nowMs: clocks.monotonicMs,
      toError: toAftersalesError,
      progress: options.progress ?? (() => undefined),
    });
    const specs = async (applicant: Applicant): Promise<ToolSpec[]> => modelSpecs(await registryFor(applicant));
    return { nodes, runUnit, cases, approvals, specs };
  });
  return {
    graph,
    keepHistory: options.keepHistory === true,
    stores,
    reader,
    knowledge,
    terms,
    commerce,
    retention: async () => {
      const { createRetention } = await import("../adapters/retention.js");
      const { db, checkpoints, leases } = await stores();
      return createRetention({ db, checkpoints, leases, clock: clocks.runtime, artifactsDir: paths.artifactsDir });
    },
    audit: async (caller) => {
      const { auditMerchant } = await import("../adapters/audit.js");
      return auditMerchant({ db: await database(), bridge: commerce.bridge(caller) }, caller);
    },
    capBasis: async (caller) => {
      const { readCapBasis } = await import("../adapters/cap-basis.js");
      return readCapBasis(commerce.bridge(caller), caller);
    },
    async close() {
      await commerce.close();
      // A store that could not be opened has already said so; there is nothing to close.
      const failed = (): undefined => undefined;
      if (stores.started()) await stores().then((opened) => opened.close(), failed);
      else if (database.started()) await database().then((db) => db.destroy(), failed);
    },
  };
}

/** The identity a profile of the data directory stands for. Throws `unknown_profile`. */
export function identityOf(dataDir: string, profile: string): Identity {
  return readProfile(dataDir, profile);
}

/** A single bound identity: whoever runs the program decides under that name and no other. */
export function singleCaller(identity: Identity): Callers {
  return { callerOf: () => identity, callerFor: () => identity, signing: OWN_NAME };
}

export { chooseModel } from "./compose-models.js";
export type { Callers };
export { environmentWithCommerce, packageVersion, readConfig, toAftersalesError };
