/** Owns the English word table for refund requests. */
import type { Words } from "./words.js";

/** "refund policy" and "refund is late" speak about refunds; they ask for none. */
const ABOUT =
  "(?!\\s+(?:polic|rule|term|window|process|status|amount|question|page|procedure|period|time|date|deadline|condition|is\\b|was\\b|has\\b|had\\b|will\\b|would\\b|should\\b|take|method|option))";
const WISHES = "exchange|swap|replace(?:ment)?|repair|store credit|voucher|gift card|credit note";

export const ENGLISH: Words = {
  filler:
    /^(?:[^\p{L}\p{N}]|(?:hi|hello|hey|dear|team|ok|okay|yes|well|actually|now|today|again|so|then|just|simply|immediately|finally|also|first|order|thisorder|please|pls|plz|kindly|thanks|thank you)\b)+/u,
  polite: /\b(?:please|pls|plz|kindly)\b/,
  politeForm: /^(?:can|could|would|will) you /,
  request: [
    new RegExp(
      `^(?:(?:can|could|would|will) you )?(?:please |kindly |pls )?(?:a )?(?:full )?(?:refund|reimburse)\\b${ABOUT}`,
    ),
    /\brefund\s+(?:my\s+)?(?:order\s+)?thisorder\b/,
    new RegExp(
      `^(?:(?:can|could|would|will) you )?(?:please |kindly |pls )?(?:go ahead with|proceed with|request(?:ing)?|process|issue|send|make|start|initiate|execute|carry out|approve|give|grant|pay|complete|arrange|transfer|return|do)\\b.{0,30}?\\b(?:(?:refund|money|reimbursement)\\b${ABOUT}|me back\\b|(?:rest|remainder|balance)\\b(?!\\s+of (?:my|the) (?:order|item|parcel)))`,
    ),
    new RegExp(
      `(?:\\b(?:i|we)(?:'d|'m| would| am)?|^) ?(?:hereby |really |still |just )?(?:want|need|demand|request(?:ing)?|expect|like|claim|apply for|ask(?:ing)? for|approve|insist on)\\b.{0,25}\\b(?:refund|money back|my money|reimburse\\w*)\\b${ABOUT}`,
    ),
  ],
  proceed: /^(?:process|execute|approve|do) it\b/,
  question:
    /^(?:can|could|may|might|would|will|do (?:i|you|we|they)|does|did|is|are|am|was|were|has|have|should|shall|what|when|where|why|who|which|how|whether)\b|\b(?:know|wonder(?:ing)?|tell me|explain|understand|whether|asking (?:if|how|about)|how much|how long)\b/,
  report: /\b(?:already|was|were|has been|had been) refunded\b|\bi (?:sent|returned|got|received)\b/,
  condition: /\b(?:if|unless|in case|provided|as long as|as soon as|once|when|after|until)\b/,
  idiom: /\bwhy not\b|\bno problem\b/g,
  negatedWish: new RegExp(
    `\\b(?:not?|don't want|do not want|don't need|instead of|rather than|without)\\s+(?:an?\\s+|any\\s+|the\\s+)?(?:${WISHES})\\b`,
    "g",
  ),
  negation: /\b(?:don't|do not|dont|never|not|no|nor|without|stop|cancel)\b[^.,;:!?]{0,25}\b(?:refund|money back)/,
  withdrawal:
    /\b(?:never ?mind|forget it|leave it|changed? my mind|on second thought|no wait|scratch that|take (?:it|that) back|hold on|not (?:yet|now|today)|maybe later|just (?:asking|curious|checking|wondering)|only asking|out of curiosity|hypothetical\w*|what if|suppose|imagine|pretend|role-?play|joking|kidding|as a joke)\b/,
  otherWish: new RegExp(
    `\\b(?:${WISHES}|half|partial(?:ly)?|part of|some of|difference|keep (?:it|the|them)|instead of (?:a |the )?refund|escrow|(?:another|different|other|new|my wife's|my husband's|someone else's) (?:account|card|person|payee|wallet|bank)|(?<!original )payment method|in (?:usd|eur|(?:us )?dollars|euros?|bitcoin)|cancel|undo|re-?send|(?:send|pay|refund) (?:it )?(?:once more|twice)|ticket)\\b|\\b0(?:\\.0+)?\\b|\\bzero\\b|\\d ?(?:%|percent)`,
  ),
};
