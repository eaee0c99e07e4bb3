/** Owns ending a command whose result was printed and is a no: the exit code says so, and nothing is printed on stdout a second time. */
import type { AftersalesError } from "../domain/errors.js";

export class RefusedResult extends Error {
  override name = "RefusedResult";
  constructor(readonly reason: AftersalesError) {
    super(reason.message);
  }
}
