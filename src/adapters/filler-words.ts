/** Owns the words that say nothing about a topic: grammar, courtesy, and the everyday verbs that any question may hold. */

const ENGLISH = `a about again all already also although am an and another any anybody anyone anything anyway are aren't as ask at away
  back be because been before being both but by bye can can't cannot come could couldn't day days dear did didn't different do does doesn't doing don't done
  down during each else enough etc even ever every everything exactly few for from further get give go going gonna good got had hadn't hand has hasn't have haven't
  having he hello help her here hers hey hi hit him his how however i i'd i'll i'm i've if in instead into is isn't it it'd it'll it's its itself just
  keep kind kindly know less let let's like likely little long look looks lot made make many matter may maybe me mean means might mine more most much must my myself
  need needs never new next nice no nobody none nor not nothing now of off often oh ok okay on once one only onto or other others our ours out over own
  part perhaps please possible pretty put quite rather really right round same say says see seem seems set shall she should shouldn't show since so some somebody
  someone something sometimes soon sorry still such sure take tell than thank thanks that that's the their theirs them then there there's these they they're
  this those though through thus till time to today together tomorrow too toward tried try two under until up upon us use used using very want wanted wants was wasn't way we we'd we'll
  we're well went were weren't what what's whatever when where where's whether which while who who's whole whom whose why will wish with within without won't wonder
  would wouldn't yes yesterday yet you you'd you'll you're your yours yourself kept happen happens think thinking thought believe i'd customer
  assistant really actually question questions answer week month year
  call called case certain check end explain follow full hear hour hours minute moment number old person place point problem reason sir madam start
  work works working first last later since ago early speak speaking spoke show shows showed shown apparently unfortunately honestly basically
  simply certainly probably completely totally fully recently earlier afterwards meanwhile otherwise therefore besides instead
  run runs running turned turns becomes become went act acts act seemed guess hope hoping hoped suppose assume decide decided understand
  guys folks mate pls plz thx ur u im ive dont cant wont didnt doesnt isnt wasnt whats thats theres wanna gotta lot lots bit include included includes including
  try trying tried option options possibility accident matter allow allowed able unable yesterday tonight morning evening monday tuesday wednesday thursday friday`;

const CHINESE = `的 了 吗 呢 吧 啊 呀 哦 嘛 哈 啦 么 我 你 您 他 她 它 我们 你们 您们 他们 自己 咱们 大家 亲 亲亲 请 请问 麻烦 麻烦您 谢谢 多谢 您好 你好 在吗 喂
  是 是不是 是否 有 有没有 没有 没 不 不是 不会 不能 不可以 不用 能 能不能 能否 可以 可不可以 可否 可 会 会不会 要 要不要 想 想要 需要 应该 必须 得 让 被 把 给 帮 帮我 替 对 向
  在 从 到 跟 和 与 同 或 或者 还是 还 也 都 就 才 又 再 再次 很 太 非常 真 真的 比较 更 最 只 只是 已经 已 曾经 正在 刚 刚刚 刚才 马上 立刻 现在 今天 昨天 明天 前天 之前 之后 以前 以后 后来 的时候 时候 时 后 前
  怎么 怎么办 怎样 怎么样 如何 为什么 为啥 为何 什么 啥 什么样 哪 哪个 哪些 哪里 哪儿 谁 几 几个 多 多少 这 这个 这些 那 那个 那些 这里 那里 这样 那样 这么 那么 这边 那边 其他 另外 别的
  如果 要是 假如 的话 因为 所以 但是 但 可是 不过 而且 然后 虽然 而 并 并且 以及 等 等等 关于 对于 根据 按照 按 来 去 上 下 里 中 内 外 间 个 一个 一下 一些 一点 一 两 三 次 件 种 条 位 张 份 笔 单 天 们
  说 说明 告诉 知道 觉得 认为 想问 问一下 看 看看 看一下 用 做 弄 搞 办 行 行不行 好 好的 好不好 对不对 吧 哈 呗 咯 嗯 哎 唉 诶 哪怕 算 当 成 作 为 以 于 其 之 所 者 人 事 事情 情况 问题 地方 方面
  直接 一起 一直 总是 经常 一般 大概 可能 也许 好像 似乎 感觉 根本 完全 居然 竟然 到底 究竟 其实 当然 顾客 助手 起来 出来 出去 过来 过去 回来 下来 下去 上去 进去 开始 结果 过 着 地 且 即 若 该 此 每 各 某 些 让我 给我 为我 替我 处理 意思 什么意思 含义 显示 不算 全 全部都 够 够不够 办法 还有 有人 包括 包含 包不包括 包不包含 里面 先 都有 跟我 由 之后 以上 以下 左右 多久`;

export const ENGLISH_FILLERS: ReadonlySet<string> = new Set(ENGLISH.split(/\s+/));
export const CHINESE_FILLERS: ReadonlySet<string> = new Set(CHINESE.split(/\s+/));
