/** Owns reading the labelled requests that the tools' descriptions are measured with. */
import { z } from "zod";
import { Language } from "../domain/ids.js";
import { readDataFile } from "./data-directory.js";

export const ROUTING_REQUESTS_FILE = "evaluation/routing.json";

const tool = z.string().regex(/^[a-z]+(?:_[a-z]+)+$/);

export const RoutingRequest = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{1,60}$/),
  language: Language,
  /** `held_out` requests are measured and never tuned on. */
  split: z.enum(["development", "held_out"]),
  /** `customer`: worded as customers word it; `direct`: as a colleague asks for one record. */
  style: z.enum(["customer", "direct"]),
  request: z.string().min(1).max(500),
  /** The one tool that is right. */
  tool,
});
export type RoutingRequest = z.infer<typeof RoutingRequest>;

export const RoutingRequests = z
  .strictObject({
    about: z.string(),
    /** What somebody in a hurry would write: one line per tool. */
    naive: z.record(tool, z.string().min(1).max(200)),
    requests: z.array(RoutingRequest).min(1),
  })
  .superRefine(({ requests }, context) => {
    const ids = requests.map(({ id }) => id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) context.addIssue({ code: "custom", message: `the id ${twice} stands there twice` });
  });
export type RoutingRequests = z.infer<typeof RoutingRequests>;

/** Throws `data_invalid`. */
export function loadRoutingRequests(dataDir: string): RoutingRequests {
  return readDataFile(dataDir, ROUTING_REQUESTS_FILE, RoutingRequests);
}
