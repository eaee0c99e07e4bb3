/** The form of one entry in the table of codes. */
import type { ErrorCategory } from "../commerce-wire.js";

export type ErrorEntry = { category: ErrorCategory; en: string; zh: string };
