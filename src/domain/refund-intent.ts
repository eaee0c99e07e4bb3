/** Owns the host's veto on "a refund was requested". It only ever vetoes: unusual wording is never refused, plain contrary wording always is. */
import { normaliseText } from "./order-ids.js";

/** A refund that is not wanted, not now, only imagined or only under a condition; or a form of it that no automatic path has. */
const CONTRARY: readonly RegExp[] = [
  /\b(do not|don'?t|never|no need to|not asking (you )?(to|for))\s+((want|need|wish|require|process|issue|make|start|give|send|do|pay|execute|proceed|request)\b((?!\bbut\b)[^.!?;,:—–]){0,25})?((a|the|my|any)\s+)?\brefund/i,
  /\b(stop|cancel|withdraw|forget)\s+(about\s+)?((the|my|that|this|any)\s+)?refund/i,
  /\b(just|only|merely|simply)\s+(asking|wondering|curious|want to know)\b/i,
  /\bhow much (would|could|can|will|do|is|might)\b/i,
  /\bnot (today|now|yet)\s*(?=[.,;!?]|$)|\bno refund (today|now|needed)\b/i,
  /\b(if|unless|in case)\b(?! (possible|you (can|could|please|don'?t mind|would)|it('s| is) (possible|ok|okay|not too)))[^.!?;]{0,60}\b(refund|money back)\b/i,
  /\b(hypothetical(ly)?|what if|(?<!\bi )suppose)\b/i,
  /\b(as|in|into)\s+(store|shop|account) credit\b|\bas a (voucher|gift card)\b|\brefund (of )?(cny )?0(\.0+)?\s/i,
  /(?<![特分区个类性级差])别(?![人的家处名])[^，。！？；不要就只想拖推磨拒]{0,6}(退款|退钱|退了|给我退|退)/,
  /(不要|不用|无需|先不|暂时不)[^，。！？；不要就只想拖推磨拒]{0,6}(退款|退钱|退了|给我退|退)/,
  /(只是|就是|仅仅|单纯)(想)?(问|了解|咨询|看看)/,
  /(能|可以|会|大概|一共)?(?<!退多少就?)退(我)?多少(?!就?退|都|算)/,
  /(如果|要是|假如|万一)(?!可以|方便|可能|没问题|不麻烦)(?![^。！？；]{0,6}[再还]不退)[^。！？；]{0,30}退/,
  /(今天|现在|目前|暂时)(先)?不(要|用|想)?退(?!款?(的话)?[，,]?(我|就|将))/,
  /退(我)?[^，。！？；]{0,8}(差价|差额)|(换成|折成|变成)(积分|代金券|储值|余额)/,
];

/** A sentence that speaks of a refund and only asks. */
const SPEAKS_OF_REFUND = /refund|money back|\bget\b[^.!?]{0,30}\bback\b|退/i;
const ASKS =
  /\b(is|are|am|do|does|did|would|could|can|will|may|should|when|why|how|what|which|whether)\b.*\?\s*$|(能不能|可不可以|是否|何时|什么时候|多久|怎么|为什么)|(吗|么|呢|不|没)[？?]\s*$/i;
/** Words that make a request of it after all, however politely it is put. */
const REQUESTS =
  /\b(please|pls|now|today|immediately|asap|at once|go ahead|do it|process|i want|i'?d like|(can|could|will|would) (you|u|we))\b|请|麻烦|帮|给我|为我|替我|马上|立即|立刻|赶紧|尽快|办理|退了?吧|退一下|要求|申请|我要/i;

/** Politeness around a question, which makes no request of it. */
const INQUIRIES =
  /请问|(请|麻烦|帮我?|给我)*(查|看|问|确认|说明|解释)(一下|下)?|\b(can|could|will|would) (you|u|we) (please )?(tell|show|check|explain|say|confirm)\b|\bplease (tell|show|check|explain|say|confirm)\b/gi;

/** Whether the customer's own words speak against a refund being requested now: negation, a mere question, a condition, not today. */
export function vetoesRefundRequest(question: string): boolean {
  const text = normaliseText(question);
  return CONTRARY.some((pattern) => pattern.test(text)) || onlyAsks(text);
}

function onlyAsks(text: string): boolean {
  const sentences = text.split(/(?<=[.!?。！？\n])/).filter((sentence) => sentence.trim() !== "");
  const about = sentences.filter((sentence) => SPEAKS_OF_REFUND.test(sentence));
  if (about.length > 0) return about.every((sentence) => ASKS.test(sentence)) && !REQUESTS.test(text);
  // A question about something else asks for no refund either, whatever a model reads into it.
  return sentences.length > 0 && sentences.every(isQuestion) && !REQUESTS.test(text.replace(INQUIRIES, ""));
}

function isQuestion(sentence: string): boolean {
  return ASKS.test(sentence) || /\?\s*$/.test(sentence);
}
