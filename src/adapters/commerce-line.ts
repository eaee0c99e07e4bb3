/** Owns the commerce processes of this program: one per applicant, started on first use with the least it has to know. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { AftersalesError } from "../domain/errors.js";
import type { Applicant, CommerceReads, CommerceSettlement, CommerceTickets } from "../domain/ports.js";
import { type CommerceBridge, createCommerceBridge, type ProcessCommand } from "./commerce-bridge.js";
import { COMMERCE_PINS } from "./commerce-pins.js";
import { createSettlement, createTickets } from "./commerce-writes.js";
import { publicKeyText } from "./grant-keys.js";
import type { StatePaths } from "./state-directory.js";

export type CommerceLine = {
  reads(applicant: Applicant): CommerceReads;
  settlement(applicant: Applicant): CommerceSettlement;
  tickets(applicant: Applicant): CommerceTickets;
  bridge(applicant: Applicant): CommerceBridge;
  /** Starts the process ahead of its first use. What stands in the way is said when it is really needed. */
  prepare(applicant: Applicant): Promise<void>;
  close(): Promise<void>;
};

type Deps = { process: ProcessCommand; paths: StatePaths; dataDir: string; onStderr?: (text: string) => void };

/** The child learns its database, the merchant's data, a public key and whom it serves. No key, no model settings, none of the host's files. */
function argumentsFor({ process, paths, dataDir }: Deps, profile: string): string[] {
  return [
    ...process.args,
    "--database",
    paths.commerceDb,
    "--data",
    dataDir,
    "--public-key",
    publicKeyText(paths.keysDir),
    "--profile",
    profile,
    "--allow-writes",
  ];
}

export function createCommerceLine(deps: Deps): CommerceLine {
  const lines = new Map<string, { bridge: CommerceBridge; reads: CommerceReads }>();

  function lineFor({ user }: Applicant): { bridge: CommerceBridge; reads: CommerceReads } {
    const known = lines.get(user);
    if (known !== undefined) return known;
    const bridge = createCommerceBridge({
      process: { command: deps.process.command, args: argumentsFor(deps, user) },
      pins: COMMERCE_PINS,
      ...(deps.onStderr === undefined ? {} : { onStderr: deps.onStderr }),
    });
    const line = { bridge, reads: readsWhenAsked(bridge) };
    lines.set(user, line);
    return line;
  }

  return {
    reads: (applicant) => lineFor(applicant).reads,
    settlement: (applicant) => createSettlement(lineFor(applicant).bridge),
    tickets: (applicant) => createTickets(lineFor(applicant).bridge),
    bridge: (applicant) => lineFor(applicant).bridge,
    async prepare(applicant) {
      try {
        await lineFor(applicant).bridge.tools();
      } catch {
        // The first call tries again and says what is wrong.
      }
    },
    async close() {
      await Promise.all([...lines.values()].map(({ bridge }) => bridge.close()));
      lines.clear();
    },
  };
}

/** The adapter library is loaded with the first read. */
function readsWhenAsked(bridge: CommerceBridge): CommerceReads {
  let loading: Promise<CommerceReads> | undefined;
  const loaded = (): Promise<CommerceReads> => {
    loading ??= import("./commerce-reads.js").then(({ createCommerceReads }) => createCommerceReads(bridge));
    return loading;
  };
  return {
    specs: async () => (await loaded()).specs(),
    call: async (tool, args, options) => (await loaded()).call(tool, args, options),
  };
}

/** Has the commerce process make and fill its database, if there is none. Throws `commerce_unavailable` with what it said. */
export async function createCommerceDatabase({ process, paths, dataDir }: Deps): Promise<void> {
  const run = promisify(execFile);
  const args = [...process.args, "--create", "--database", paths.commerceDb, "--data", dataDir];
  try {
    await run(process.command, args, { env: {} });
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    const [, sentence] = /^aftersales-commerce: (.+) \(data_invalid\)$/m.exec(said) ?? [];
    if (sentence === undefined) throw new AftersalesError("commerce_unavailable", {}, { cause: new Error(said) });
    const [file = "", ...rest] = sentence.split(": ");
    throw new AftersalesError("data_invalid", { file, detail: rest.join(": ").replace(/ Correct the file.*$/, "") });
  }
}
