/** Owns the server with sign-in: who a request counts as, and the graph that believes only that. */
import { Auth, HTTPException } from "@langchain/langgraph-sdk/auth";
import { toAftersalesError } from "./compose.js";
import { bearerTokens } from "./compose-auth.js";
import { OWN_NAME } from "./signing.js";
import { assertFromHere, refuse } from "./studio-doors.js";
import { sharedHost } from "./studio-host.js";
import { assertCoveredRoute, assertPlainRun, labelsOf, signedIn, visibleTo } from "./studio-rules.js";
import { buildSupportGraph, type SupportGraph } from "./support-graph.js";

const readToken = bearerTokens();

async function signIn(request: Request) {
  try {
    const { user, tenant, role } = await readToken(request.headers.get("authorization"));
    return { identity: user, tenant, role, permissions: [role] };
  } catch (error) {
    const { code, message } = toAftersalesError(error);
    throw new HTTPException(code === "token_invalid" ? 401 : 503, { message: `${message} (${code})`, cause: error });
  }
}

/** The server allows what no handler speaks about, so the last one refuses everything. */
export const auth = new Auth()
  .authenticate(async (request) => {
    assertFromHere(request);
    assertCoveredRoute(request);
    return signIn(request);
  })
  .on("threads:create", ({ value, user }) => {
    const identity = signedIn(user);
    if (identity.role !== "customer") refuse("only a customer can open a case");
    value.metadata = { ...value.metadata, ...labelsOf(identity) };
    return visibleTo(identity);
  })
  .on(["threads:read", "threads:search"], ({ user }) => visibleTo(signedIn(user)))
  .on("threads:create_run", ({ value, user }) => {
    const identity = signedIn(user);
    assertPlainRun(value.thread_id, value.kwargs);
    value.metadata = { ...value.metadata, ...labelsOf(identity) };
    return visibleTo(identity);
  })
  .on(["assistants:read", "assistants:search"], () => true)
  .on("*", () => refuse("this is not allowed here"));

const source = sharedHost(() => ({
  callerOf: ({ configurable }) => signedIn(configurable?.langgraph_auth_user),
  callerFor: ({ configurable }) => signedIn(configurable?.langgraph_auth_user),
  signing: OWN_NAME,
}));

export const graph = async (): Promise<SupportGraph> => buildSupportGraph(source);
