/** Owns what the rehearsal model says in Chinese. */
import { FEEDBACK_ZH } from "./feedback-zh.js";
import type { Phrases } from "./phrase-book.js";

export const CHINESE_PHRASES: Phrases = {
  gap: "",
  delivered: ({ order, deliveredOn, days, businessDate }) =>
    `订单 ${order} 于 ${deliveredOn} 签收，距业务日期${businessDate === null ? "" : ` ${businessDate} `}共 ${days} 天。`,
  insideWindow: (days) =>
    days === null ? "这在退货期限之内。" : `这在签收后 ${days} 天的退货期限之内，第 ${days} 天也算在内。`,
  receiptRegistered: "仓库已登记收到退货。",
  amount: ({ amount, paid, earlier }) =>
    `可退金额为 ${amount}：订单记录显示商品实付 ${paid}${earlier === null ? "" : `，减去此前已退 ${earlier}`}。`,
  freightStays: ({ freight, invoiceTotal }) =>
    `运费${freight === null ? "" : ` ${freight} `}不在退款范围内，因此发票总额${
      invoiceTotal === null ? "" : ` ${invoiceTotal} `
    }不是退款金额。`,
  invoiceIsNotRefund: (total) => `发票总额 ${total} 不是退款金额。`,
  amountFromRecord: "金额以订单记录为准，不以留言中的数字为准。",
  onlyWholeAmount: "这里只能按原付款人申请整笔金额；换货、维修、只退一部分、抵用金或换收款人，请找人工客服。",
  waitsForReviewer: "退款提案正在等待人工审核员批准，目前没有付款。",
  nothingStarted: ({ order }) => `目前没有发起退款，也没有付款。如需退款，请另开新案写明：请退款 ${order}。`,
  noRefundStarted: "目前没有发起退款。",
  humanChannel: "可以转人工客服处理，也可以提交工单。",
  outsideWindow: (days) =>
    days === null
      ? "退货期限已经结束，不能自动退款。"
      : `签收后 ${days} 天的退货期限到第 ${days} 天为止，现在已经超出，不能自动退款。`,
  notReceived: "仓库还没有登记收到退货，收货登记之前不能自动退款。",
  notDelivered: {
    processing: ({ order }) => `订单 ${order} 仍在商户处理（processing），尚未签收，不能自动退款。`,
    shipped: ({ order }) => `订单 ${order} 已发货（shipped），尚未签收，不能自动退款。`,
    cancelled: ({ order }) => `订单 ${order} 已取消，从未签收，不能自动退款。`,
    other: ({ order }) => `记录显示订单 ${order} 尚未签收，不能自动退款。`,
  },
  excluded: {
    custom: ({ order }) => `订单 ${order} 的商品属于定制类（custom），不在自动退款范围内。`,
    digital: ({ order }) => `订单 ${order} 的商品属于数字类（digital），不在自动退款范围内。`,
    other: ({ order }) => `订单 ${order} 的商品类别不在自动退款范围内。`,
  },
  quantity: ({ order, quantity }) => `订单 ${order} 的数量是 ${quantity} 件，自动退款只适用于单件商品，需要人工决定。`,
  alreadyRefunded: ({ order, paid, earlier }) =>
    `订单 ${order} 的记录显示商品实付 ${paid}，此前已退 ${earlier}，没有余额可退。`,
  manualReview: ({ order }) => `该商户的退款由人工审核办理，订单 ${order} 没有可自动给出的金额。`,
  otherReason: ({ order }) => `订单 ${order} 不能自动退款，需要人工决定。`,
  notAccessible: "您在这里无法查看这个订单号。请核对自己订单列表中的号码，或转人工客服。",
  unreadable: "暂时无法读取记录，目前状态未知。请稍后再试，或转人工客服。",
  sendOneOrder: "请在新案中只写一个订单号（QH- 加四位数字），并说明对这个订单的要求。",
  notCovered: "现有文件没有涵盖这个问题。请说明具体商品或您自己的订单，或转人工客服。",
  askWhat: "请问您想了解什么？请写一个问题；如果与订单有关，请附上订单号。",
  greeting: "您好！这里是自动助手（按规则运行的演练模型，不是真人），可以解答退款、物流、发票和产品支持方面的问题。",
  terms: (heading, text) => `现行条款“${heading}”写明：${text}`,
  forAnOrder: "如需查询具体订单，请提供订单号。",
  status: {
    processing: ({ order }) => `订单 ${order} 仍在商户处理（processing），尚未签收。`,
    shipped: ({ order }) => `订单 ${order} 已发货（shipped），尚未签收。`,
    delivered: ({ order }) => `订单 ${order} 的状态是已签收（delivered）。`,
    cancelled: ({ order }) => `订单 ${order} 已取消，从未签收。`,
    other: ({ order }) => `订单 ${order} 的状态目前未知。`,
  },
  statusWord: { processing: "处理中", shipped: "已发货", delivered: "已签收", cancelled: "已取消", other: "状态未知" },
  lastEvent: ({ status, date, carrier, tracking }) =>
    `最近一次记录的事件是${status}，日期 ${date}${carrier === "" ? "" : `，承运方为${carrier}`}${
      tracking === "" ? "" : `，单号 ${tracking}（虚构）`
    }。`,
  noEvents: "目前没有物流事件记录。",
  noArrivalPromise: "不能承诺到达日期。",
  noChangesHere: "助手不能修改或取消任何内容，请找人工客服。",
  orderLine: ({ order, status }) => `${order}：${status}。`,
  orderCount: (count) => `您的列表中共有 ${count} 个订单。`,
  invoice: ({ order, id, state, total, paid, freight }) =>
    `订单 ${order} 的发票 ${id} ${
      state === "void" ? "已作废（void）" : state === "issued" ? "是已开具（issued）的模拟记录" : "有记录"
    }；总额 ${total} 由商品 ${paid} 和运费 ${freight} 组成。`,
  noInvoice: ({ order }) => `订单 ${order} 目前没有发票记录。`,
  invoiceKeepsTotal: (earlier) => `此前已退 ${earlier} 不会改变发票总额。`,
  noInvoiceChanges: "助手不能开具、修改或发送发票，请找人工客服。",
  warranty: ({ order, name, sku, months, deliveredOn }) =>
    `订单 ${order} 的商品是${name}（${sku}），保修期 ${months} 个月${
      deliveredOn === null ? "" : `，签收日期为 ${deliveredOn}`
    }。`,
  noRepairFlow: ({ order, name, sku }) =>
    `订单 ${order} 的商品是${name}（${sku}），不适用实物维修流程，但人工客服仍可协助。`,
  safety: "为了安全，请停止使用，不要拆开。",
  humanDecidesRepair: "维修还是更换由人工决定，目前没有提交任何申请。",
  summary: (facts, passages, open) =>
    `已读取：${facts.join("、") || "无记录"}。手头条款 ${passages} 段。${open.length === 0 ? "" : `未能读取：${open.join("、")}。`}`,
  feedback: FEEDBACK_ZH,
};
