/**
 * Owns the protocol stream. A stray line on stdout that looks like a reply with the current id replaces the real one, and text without
 * a newline swallows it; so everything else that writes to stdout lands on stderr. Must be the first import of the process: it works
 * at import, before any other module can print.
 */
import { Writable } from "node:stream";

const writeProtocol = process.stdout.write.bind(process.stdout);

/** The only way to the real stdout. Emits `error` when nobody reads it any more. */
export const protocolOut = new Writable({
  decodeStrings: false,
  write: (chunk: string, encoding, done) => {
    writeProtocol(chunk, encoding, done);
  },
});

// A client that stopped reading shows up here; unheard, it would end the process with a stack trace.
process.stdout.on("error", (error) => protocolOut.destroy(error));
process.stdout.write = process.stderr.write.bind(process.stderr);
