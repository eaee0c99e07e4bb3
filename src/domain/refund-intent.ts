/** Owns the host's veto on "a refund was requested". It only ever vetoes: unusual wording is never refused, plain contrary wording always is. */
import { normaliseText } from "./order-ids.js";

const CONTRARY: readonly RegExp[] = [
  /\b(do not|don'?t|never|stop|cancel)\b[^.!?;]{0,30}\brefund/i,
  /\b(just|only|merely|simply)\s+(asking|wondering|checking|curious)/i,
  /\bhow much (would|could|can|will|do|is|might)\b/i,
  /\b(not (today|now|yet)|no refund (today|now|yet|needed))\b/i,
  /\b(if|unless|in case)\b[^.!?;]{0,60}\b(refund|money back)\b/i,
  /\b(hypothetical|what if|suppose)\b/i,
  /(别|不要|不用|无需|先不|暂时不)[^，。！？；]{0,6}(退款|退钱|退了|给我退|退)/,
  /(只是|就是|仅仅|单纯)(想)?(问|了解|咨询|看看)/,
  /(能|可以|会|大概|一共)?退(我)?多少/,
  /(如果|要是|假如|万一)[^。！？；]{0,30}退/,
  /(今天|现在|目前|暂时)(先)?不(要|用|想)?退/,
];

/** Whether the customer's own words speak against a refund being requested now: negation, a mere question, a condition, not today. */
export function vetoesRefundRequest(question: string): boolean {
  const text = normaliseText(question);
  return CONTRARY.some((pattern) => pattern.test(text));
}
