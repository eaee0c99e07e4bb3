/** Owns the form of a word table: what one language says when it asks for a refund, and when it does not. */

/** Texts are matched in lower case, with every order id replaced by `thisorder`. */
export type Words = {
  /** Openers that say nothing by themselves: greetings, "please", the order id. */
  filler: RegExp;
  /** Turns a question form into a request: "could you please". */
  polite: RegExp;
  /** What makes a polite request look like a question. */
  politeForm: RegExp;
  /** A clause that asks for the refund to be carried out. */
  request: readonly RegExp[];
  /** "process it": a request once the text has spoken of a refund. */
  proceed: RegExp;
  /** A clause that asks for information. */
  question: RegExp;
  /** A clause that reports what has happened already. */
  report: RegExp;
  /** Makes the whole sentence depend on something. */
  condition: RegExp;
  /** Sayings that look like a negation and are none. */
  idiom: RegExp;
  /** "not a repair": what the customer does not wish for instead. */
  negatedWish: RegExp;
  negation: RegExp;
  /** Taken back, put off or not meant. */
  withdrawal: RegExp;
  /** A wish the automatic path does not have. */
  otherWish: RegExp;
};
