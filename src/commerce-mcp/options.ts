/** Owns the command line of the commerce process. There is no environment and no default: everything it may do is said when it is started. */
import { parseArgs } from "node:util";
import { AftersalesError } from "../domain/errors.js";

export type Options =
  | { kind: "create"; database: string; data: string }
  | { kind: "serve"; database: string; data: string; publicKey: string; profile: string; allowWrites: boolean };

/** Throws `usage`. */
export function parseOptions(argv: readonly string[]): Options {
  const values = parse(argv);
  const { database, data, profile, "public-key": publicKey } = values;
  if (database === undefined || data === undefined) throw usage("--database FILE and --data DIR are required");
  if (values.create === true) return { kind: "create", database, data };
  if (publicKey === undefined || profile === undefined) throw usage("--public-key KEY and --profile NAME are required");
  return { kind: "serve", database, data, publicKey, profile, allowWrites: values["allow-writes"] === true };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      strict: true,
      allowPositionals: false,
      options: {
        database: { type: "string" },
        data: { type: "string" },
        "public-key": { type: "string" },
        profile: { type: "string" },
        "allow-writes": { type: "boolean" },
        create: { type: "boolean" },
      },
    }).values;
  } catch (cause) {
    throw usage("one of the options is unknown or lacks its value", cause);
  }
}

function usage(detail: string, cause?: unknown): AftersalesError {
  return new AftersalesError("usage", { detail }, { cause });
}
