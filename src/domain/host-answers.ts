/** Owns the sentences that code says by itself, because no model should decide what they say. */
import type { Answer } from "./contracts.js";
import type { Language } from "./ids.js";

export type HostAnswerKind =
  | "greeting"
  | "several_orders"
  | "order_needed"
  | "order_not_accessible"
  | "order_unreadable"
  | "not_confirmed";

const TEXTS: Record<HostAnswerKind, Record<Language, string>> = {
  greeting: {
    en: "Hello! I am the after-sales assistant. Tell me what you need, and if it is about an order, include its number (like QH- and four digits).",
    zh: "您好！我是售后助手。请告诉我您需要什么；如果与订单有关，请写上订单号（QH- 加四位数字）。",
  },
  several_orders: {
    en: "Your message names more than one order. Each case deals with one order: please send a separate message for each, with exactly one order number.",
    zh: "您的消息里有不止一个订单号。每个案件只处理一个订单：请为每个订单分别发送一条消息，每条只写一个订单号。",
  },
  order_needed: {
    en: "To look into a refund I need to know which order it is about. Please send the request again with its order number (QH- and four digits).",
    zh: "要处理退款，需要知道是哪个订单。请写上订单号（QH- 加四位数字）重新发送。",
  },
  order_not_accessible: {
    en: "I cannot access that order number under your account, so I can say nothing about it. Please check the number and send it again, or contact customer service for help from a person.",
    zh: "在您的账户下无法访问这个订单号，因此无法提供任何相关信息。请核对订单号后重新发送，或联系人工客服。",
  },
  order_unreadable: {
    en: "The order record could not be read just now, so its state is unknown. Nothing was decided or changed. Please try again later, or contact customer service.",
    zh: "暂时无法读取订单记录，其状态未知。没有作出任何决定，也没有任何改动。请稍后再试，或联系人工客服。",
  },
  not_confirmed: {
    en: "I could not confirm an answer from the records and documents at hand, so I will not guess. Please add details in a new message, or contact customer service for help from a person.",
    zh: "依据现有记录和条款无法确认答案，因此不作猜测。请在新消息中补充信息，或联系人工客服。",
  },
};

/** A fixed answer. It cites nothing and, but for a greeting, asks for what is missing. */
export function hostAnswer(kind: HostAnswerKind, language: Language): Answer {
  return { answer: TEXTS[kind][language], citations: [], nextAction: kind === "greeting" ? "answer" : "needs_input" };
}

const REQUOTED: Record<"renewed" | "refused" | "occupied", Record<Language, string>> = {
  renewed: {
    en: "The proposal was renewed from the order's current record; the explanation above was written for the earlier one.",
    zh: "方案已按订单的最新记录重新生成；上面的说明是为之前的方案写的。",
  },
  refused: {
    en: "On renewal the order no longer qualifies for an automatic refund, so there is no proposal. Please contact customer service.",
    zh: "重新报价时，该订单已不符合自动退款条件，因此没有方案。请联系人工客服。",
  },
  occupied: {
    en: "This order already has an open refund proposal in another case, so no second one was made.",
    zh: "该订单在另一个案件中已有未结的退款方案，因此没有再生成。",
  },
};

/** The line that the host adds under an explanation when a proposal was renewed. */
export function requoteNote(kind: keyof typeof REQUOTED, language: Language): string {
  return REQUOTED[kind][language];
}
