/** Owns the expected refusal: it rolls a transaction back on its way out and carries a code, never a text. */
import type { ErrorCode } from "../domain/errors.js";

export class Refusal extends Error {
  override name = "Refusal";

  constructor(readonly code: ErrorCode) {
    super(code);
  }
}
