/** What the store refuses, in Chinese. */

export const storeTexts = {
  "store.other": "{text}",
  "store.requestWithoutRefund": "只有退款可以指定请求",
  "store.expiryWithoutTopUp": "只有充值可以设置到期时间",
  "store.expiredAlready": "充值的到期时间已过",
  "store.accountClosed": "账户 {id} 已关闭",
  "store.accountUnknown": "未找到账户 {id}",
  "store.entryZero": "明细的金额不能为 0",
  "store.kindNegative":
    "{kind:topup=充值|charge=扣费|adjustment=调整|refund=退款|operator_loss=运营者承担|expiry=充值到期}不能为负数",
  "store.tooMuch": "账户 {id} 最多只能减少 {free}",
  "store.tooMuchWhileLent": "账户 {id} 最多只能减少 {free}；另有 {lent} 已租给运行中的进程",
  "store.refundWithoutRequest": "退款须指明所针对的请求",
  "store.refundedBefore": "请求 {requestId} 已退过款",
  "store.refundTooLarge": "账户 {id} 为请求 {requestId} 只支付了 {paid}",
  "store.referenceTaken":
    "账户 {accountId} 的参考号 {reference} 已用于另一笔明细（{kind:topup=充值|charge=扣费|adjustment=调整|refund=退款|operator_loss=运营者承担|expiry=充值到期}，{amount}）",
  "store.referenceTakenUntil":
    "账户 {accountId} 的参考号 {reference} 已用于另一笔明细（{kind:topup=充值|charge=扣费|adjustment=调整|refund=退款|operator_loss=运营者承担|expiry=充值到期}，{amount}，{until} 到期）",
  "store.balanceTooLarge": "余额不能超过 {max} 美元",
  "store.limitInvalid":
    "{name:requestsPerMinute=每分钟请求数|tokensPerMinute=每分钟 token 数|concurrency=同时进行的请求数}必须是 0 到 {max} 的整数",
  "store.startNegative": "初始余额不能为负数",
  "store.keptInvalid": "响应的保留时间必须是 0 到 {max} 之间的整数毫秒数",
  "store.thresholdNegative": "提醒阈值不能为负数",
  "store.codeZero": "兑换码的面额必须大于 0",
  "store.batchEmpty": "一批至少有一个兑换码",
  "store.batchUnknown": "未找到批次 {id}",
  "store.emailTaken": "该邮箱已被其他用户使用",
  "store.requestNotRecorded": "无法记录该请求：{reason}",
  "store.headersWait":
    "迁移 28 执行之前不能保存上游的请求头；它在等待旧版本的服务进程：请停止它们，再运行 `plaza migrate`",
  "store.upstreamTwice": "目录中有两个名为 {id} 的上游",
  "store.modelTwice": "目录中有两个名为 {id} 的模型",
  "store.upstreamLost": "模型 {model} 的部署使用上游 {upstream}，而目录中没有它",
  "store.fallbackLost": "模型 {model} 以模型 {fallback} 为后备，而目录中没有它",
  "store.managedInConsole":
    "文件中的{kind:upstream=上游|model=模型} {id} 已由控制台管理：请在文件中使用其他 ID，或在控制台中移除它",
  "store.stillUsed":
    "文件中已没有{kind:upstream=上游|model=模型} {id}，但控制台中的模型{kind:upstream=正在使用它|model=以它为后备}（{models}）：请先修改或移除它们",
} as const;
