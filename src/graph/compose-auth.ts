/** Owns putting together how the server tells who somebody is. */
import { createTokenReader, type ReadToken } from "../adapters/bearer-tokens.js";
import { readConfig } from "../adapters/config.js";

/** Reads the settings when the first token arrives: loading this module opens nothing. */
export function bearerTokens(): ReadToken {
  let reader: ReadToken | undefined;
  return (authorization) => {
    reader ??= createReader();
    return reader(authorization);
  };
}

function createReader(): ReadToken {
  const { dataDir, studio } = readConfig();
  return createTokenReader({ settings: studio.tokens, dataDir, nowMs: () => Date.now() });
}
