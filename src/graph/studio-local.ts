/** Owns the door of the local server. There is no login: whoever works at this machine is its operator, and no web page is. */
import { Auth } from "@langchain/langgraph-sdk/auth";
import { assertFromHere, assertNoWebhook } from "./studio-doors.js";

export const auth = new Auth()
  .authenticate(async (request) => {
    assertFromHere(request);
    return { identity: "local-operator", permissions: [] };
  })
  .on("threads:create_run", ({ value }) => assertNoWebhook(value.kwargs));
