/** Owns the version of the graph's persisted contract. Stored with every case; a case is only resumed by the version that began it. */
export const GRAPH_VERSION = "2";
