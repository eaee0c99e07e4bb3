/** Owns the version of the graph's persisted contract. Stored with every case; a case is only resumed by the version that began it. */
import type { CaseRow } from "../domain/case.js";
import { AftersalesError } from "../domain/errors.js";

export const GRAPH_VERSION = "2";

/** Saved steps of another version name nodes and channels that this program may not have. Throws `graph_version_mismatch`. */
export function assertGraphVersion({ graphVersion }: Pick<CaseRow, "graphVersion">): void {
  if (graphVersion !== GRAPH_VERSION) {
    throw new AftersalesError("graph_version_mismatch", { stored: graphVersion, running: GRAPH_VERSION });
  }
}
