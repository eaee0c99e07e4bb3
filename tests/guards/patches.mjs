/** Each entry takes one guard out of the product: in `file`, the text `take` becomes `put`. `tests` are the files that have to notice. */
import { CONFIGURATION_PATCHES } from "./configuration-patches.mjs";
import { GATE_PATCHES } from "./gate-patches.mjs";
import { LIFECYCLE_PATCHES } from "./lifecycle-patches.mjs";
import { LIVE_PATCHES } from "./live-patches.mjs";
import { MODEL_PATCHES } from "./model-patches.mjs";
import { MONEY_PATCHES } from "./money-patches.mjs";
import { PROMPT_PATCHES } from "./prompt-patches.mjs";
import { STUDIO_PATCHES } from "./studio-patches.mjs";

export const PATCHES = [
  ...MODEL_PATCHES,
  ...GATE_PATCHES,
  ...PROMPT_PATCHES,
  ...MONEY_PATCHES,
  ...STUDIO_PATCHES,
  ...CONFIGURATION_PATCHES,
  ...LIFECYCLE_PATCHES,
  ...LIVE_PATCHES,
];
