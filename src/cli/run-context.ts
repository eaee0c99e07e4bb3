/** Owns what one command is run with: its options, its output, and the host it opens when it needs one. */

import { resolve } from "node:path";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import type { Identity } from "../domain/identity.js";
import type { Language } from "../domain/ids.js";
import type { CaseFile, ChatModels } from "../domain/ports.js";
import {
  type Clocks,
  chooseModel,
  createHost,
  type Host,
  type HostOptions,
  identityOf,
  singleCaller,
} from "../graph/compose.js";
import type { Session } from "../graph/session.js";
import { caseText } from "./case-text.js";
import { type CaseView, caseView, type ViewOptions } from "./case-view.js";
import type { Output } from "./print.js";
import { createProgress } from "./progress.js";

export type GlobalOptions = {
  stateDir: string;
  profile: string;
  model?: "live" | "rehearsal";
  json: boolean;
  data?: string;
  keepHistory?: boolean;
};

export type RunInput = {
  config: HostOptions["config"];
  clocks: Clocks;
  output: Output;
  signal: AbortSignal;
  /** A chat model a test brings along; shipped programs have none. */
  givenModel?: BaseChatModel;
};

export type RunContext = {
  options: GlobalOptions;
  output: Output;
  clocks: Clocks;
  config: HostOptions["config"];
  signal: AbortSignal;
  dataDir: string;
  identity(): Identity;
  /** The language of messages from here on: a case's, once it is known. */
  speak(language: Language): void;
  language(): Language;
  host(): Host;
  session(): Promise<Session>;
  models(): ChatModels;
  /** Fails early when a model will be needed and none is configured. */
  requireModel(): void;
  show(file: CaseFile, extra?: Omit<ViewOptions, "artifactsDir" | "nowMs">): CaseView;
  close(): Promise<void>;
};

export function createRunContext(options: GlobalOptions, input: RunInput): RunContext {
  const { config, clocks, output, signal, givenModel } = input;
  // A command reads most shapes once or twice: compiling a parser for each would take longer than it saves.
  z.config({ jitless: true });
  const dataDir = options.data === undefined ? config.dataDir : resolve(options.data);
  const kind = options.model ?? config.modelKind;
  const models = (): ReturnType<typeof chooseModel> => chooseModel(config, kind, givenModel);
  let host: Host | undefined;
  let language: Language = "en";
  const progress = createProgress({ output, language: () => language, nowMs: clocks.monotonicMs });

  const context: RunContext = {
    options,
    output,
    clocks,
    config,
    signal,
    dataDir,
    identity: () => identityOf(dataDir, options.profile),
    speak(spoken) {
      language = spoken;
    },
    language: () => language,
    host() {
      host ??= createHost({
        config,
        stateDir: options.stateDir,
        dataDir,
        clocks,
        models,
        callers: singleCaller(context.identity()),
        keepHistory: options.keepHistory === true,
        progress: progress.hear,
      });
      return host;
    },
    session: async () => (await import("../graph/session.js")).openSession(context.host(), context.identity()),
    models,
    requireModel: () => void models(),
    show(file, extra = {}) {
      progress.end();
      const nowMs = clocks.runtime.nowMs();
      const view = caseView(file, { ...extra, artifactsDir: resolve(options.stateDir, "host", "artifacts"), nowMs });
      if (options.json) output.json(view);
      else output.result(caseText(view, nowMs));
      return view;
    },
    async close() {
      progress.end();
      await host?.close();
    },
  };
  return context;
}
