/** Codes of what people and programs send in: questions, options, data files, states of a case. `{name}` marks a value filled in. */
import type { ErrorEntry } from "./entry.js";

export const INPUT_ERRORS = {
  usage: {
    category: "validation",
    en: "The command was not understood: {detail}. See aftersales --help.",
    zh: "无法理解这条命令：{detail}。请看 aftersales --help。",
  },
  invalid_question: {
    category: "validation",
    en: "The question is blank or longer than 1,800 characters. Send one question within that length.",
    zh: "问题为空，或超过 1800 个字符。请在这个长度内写一个问题。",
  },
  invalid_search_query: {
    category: "validation",
    en: "The search query is blank or longer than 500 characters. Search with a few words within that length.",
    zh: "搜索内容为空，或超过 500 个字符。请在这个长度内写几个词。",
  },
  invalid_language: {
    category: "validation",
    en: "The language must be zh or en.",
    zh: "语言只能是 zh 或 en。",
  },
  unknown_profile: {
    category: "permission",
    en: "The profile {profile} is not in profiles.json. Choose one of: {known}.",
    zh: "profiles.json 里没有 {profile} 这个身份。可选：{known}。",
  },
  customer_role_required: {
    category: "permission",
    en: "Only a customer can do this. Choose a customer's profile.",
    zh: "只有顾客可以这样做。请换成顾客身份。",
  },
  consent_required: {
    category: "validation",
    en: "Nothing is remembered without consent. Add --consent if you want the language kept for later cases.",
    zh: "未经同意不会记住任何内容。如果希望以后沿用这个语言，请加上 --consent。",
  },
  token_invalid: {
    category: "permission",
    en: "The bearer token is missing, expired, or not one of this server's issuer. Sign in again and send Authorization: Bearer TOKEN.",
    zh: "缺少 bearer 令牌，或令牌已过期，或并非由本服务器的签发者签发。请重新登录，并发送 Authorization: Bearer 令牌。",
  },
  auth_not_configured: {
    category: "validation",
    en: "The server has no usable key set for bearer tokens. Its operator has to set AFTERSALES_AUTH_KEYS to a JWKS file.",
    zh: "服务器没有可用的 bearer 令牌密钥集。请由操作者把 AFTERSALES_AUTH_KEYS 设为一个 JWKS 文件。",
  },
  case_not_accessible: {
    category: "permission",
    en: "There is no such case for you. Check the case id and the profile.",
    zh: "没有可供你查看的这个案件。请核对案件编号和身份。",
  },
  case_busy: {
    category: "transient",
    en: "Another process is working on this case until {until}. Try again after that.",
    zh: "另一个进程正在处理这个案件，直到 {until}。请在那之后重试。",
  },
  retry_required: {
    category: "validation",
    en: "This case failed with {failedWith}. Solve its cause, then run resume with --retry.",
    zh: "这个案件因 {failedWith} 失败。请先解决原因，再用 resume --retry。",
  },
  retry_not_failed: {
    category: "validation",
    en: "Only a failed case can be retried; this one is {status}. Run resume without --retry.",
    zh: "只有失败的案件可以重试；这个案件是 {status}。请不带 --retry 运行 resume。",
  },
  case_not_waiting: {
    category: "business",
    en: "This case has no proposal that waits for a decision; it is {status}. Look at it with inspect.",
    zh: "这个案件没有等待决定的方案，当前是 {status}。请用 inspect 查看。",
  },
  case_not_ended: {
    category: "business",
    en: "This case is still {status}; only an ended case can be forgotten. Finish, reject or withdraw it first.",
    zh: "这个案件仍是 {status}；只有已结束的案件可以删除内容。请先完成、拒绝或撤回。",
  },
  case_ended: {
    category: "business",
    en: "This case already has its answer ({status}), which is not worked out again. Open a new case for another question.",
    zh: "这个案件已有答复（{status}），不会重新处理。如有其他问题请另开新案。",
  },
  graph_version_mismatch: {
    category: "business",
    en: "This case was started by graph version {stored}, this program runs {running}. Finish it with the older program.",
    zh: "这个案件由图版本 {stored} 开始，本程序是 {running}。请用旧版程序完成它。",
  },
  checkpoint_unreadable: {
    category: "internal",
    en: "The saved steps of this case are not here or cannot be read. If a LangGraph server began it, go on there; otherwise open a new case. inspect still shows its record.",
    zh: "这里没有这个案件保存的步骤，或步骤无法读取。如果它是在 LangGraph 服务器上开始的，请在那里继续；否则请另开新案。inspect 仍可查看记录。",
  },
  state_missing: {
    category: "validation",
    en: "There is no state in {dir}. Run aftersales init first, or pass the right --state-dir.",
    zh: "{dir} 中没有状态数据。请先运行 aftersales init，或指定正确的 --state-dir。",
  },
  installation_broken: {
    category: "validation",
    en: "Something does not work: {names}. Do what stands beside it, then run aftersales doctor again.",
    zh: "有部分不能工作：{names}。请按旁边的提示处理，然后再运行 aftersales doctor。",
  },
  state_not_private: {
    category: "permission",
    en: "Others on this machine may use files of the state directory. Take their rights away with chmod -R go-rwx.",
    zh: "这台机器上的其他用户可以使用状态目录中的文件。请用 chmod -R go-rwx 去掉他们的权限。",
  },
  output_exists: {
    category: "validation",
    en: "{file} is already there or cannot be made, and no results are overwritten. Name a new file with --output.",
    zh: "{file} 已存在或无法创建，不会覆盖任何结果。请用 --output 指定一个新文件。",
  },
  evaluation_incomplete: {
    category: "transient",
    en: "{count} of {total} runs did not reach an answer. Their lines name the codes; the others can be reviewed.",
    zh: "{total} 次运行中有 {count} 次没有得到答复。对应的行写有错误代码；其余的可以审阅。",
  },
  data_invalid: {
    category: "validation",
    en: "{file}: {detail}. Correct the file and run the command again.",
    zh: "{file}：{detail}。请改正该文件后重新运行。",
  },
  database_busy: {
    category: "transient",
    en: "The database was locked by another program for too long. Nothing was lost; run resume for this case.",
    zh: "数据库被其他程序锁定太久。没有丢失任何内容；请对这个案件运行 resume。",
  },
  database_failed: {
    category: "internal",
    en: "The database refused to work ({detail}). Check disk space and file permissions, then run resume.",
    zh: "数据库无法工作（{detail}）。请检查磁盘空间和文件权限，然后运行 resume。",
  },
  file_refused: {
    category: "internal",
    en: "A file of the state directory could not be used ({detail}). Check disk space and permissions, then run resume.",
    zh: "状态目录中的文件无法使用（{detail}）。请检查磁盘空间和权限，然后运行 resume。",
  },
  database_newer: {
    category: "internal",
    en: "{file} was written by a newer version of this program. Nothing was changed; run this command with that version.",
    zh: "{file} 由本程序的更新版本写入。没有改动任何内容；请用那个版本运行此命令。",
  },
  artifact_conflict: {
    category: "internal",
    en: "A different file already stands where the case record belongs. Move it away and run resume.",
    zh: "案件记录的位置上已有另一个文件。请移走它再运行 resume。",
  },
  event_not_found: {
    category: "validation",
    en: "The case has no event of that number. inspect CASE --events lists them.",
    zh: "该案件没有这个编号的事件。可用 inspect CASE --events 列出。",
  },
  lease_lost: {
    category: "transient",
    en: "Another process took this case over; this one stopped and wrote nothing more. Run inspect to see where it stands.",
    zh: "另一个进程接手了这个案件，本进程已停止且不再写入。请用 inspect 查看进展。",
  },
  lease_required: {
    category: "internal",
    en: "This program worked on a case without holding it. Run graph calls inside withCase.",
    zh: "程序未持有案件就开始工作。请在 withCase 中调用图。",
  },
  cancelled: {
    category: "transient",
    en: "The work was stopped. Nothing was lost; run resume for this case.",
    zh: "工作已停止。没有丢失任何内容；请对这个案件运行 resume。",
  },
  unit_deadline_exceeded: {
    category: "transient",
    en: "One step of the case took longer than 150 seconds and was stopped. Run resume with --retry.",
    zh: "案件的一个步骤超过 150 秒，已停止。请运行 resume --retry。",
  },
  record_not_verified: {
    category: "business",
    en: "The record does not hold: {checks}. Do not rely on it; compare it with inspect.",
    zh: "这份记录不成立：{checks}。请勿依据它行事，可用 inspect 核对。",
  },
  audit_failed: {
    category: "business",
    en: "The records do not fit together: {findings}. Stop settling for these and have them looked at.",
    zh: "记录之间不一致：{findings}。请停止相关结算并安排核查。",
  },
  demo_failed: {
    category: "internal",
    en: "The demonstration did not go as told: {detail}. Its state is kept; look at it with aftersales inspect.",
    zh: "演示没有按预期进行：{detail}。其状态已保留，可用 aftersales inspect 查看。",
  },
  internal_error: {
    category: "internal",
    en: "Something in this program broke. The case keeps its last good state; the event log has the details.",
    zh: "程序内部出错。案件保留着上一个完好的状态；详情见事件日志。",
  },
} as const satisfies Record<string, ErrorEntry>;
