/** Accounts, ledger lines and the keys of an account, in Chinese. */

export const accountTexts = {
  "account.unknown": "没有这个账户。",
  "account.closedForEver": "此账户已永久关闭，请另建一个。",
  "account.gone": "该账户已不存在。",
  "account.closed": "此账户已关闭。",
  "account.lineZero": "金额为 0 的明细不会改变任何东西。",
  "account.negativeLine": "只有调整可以减少余额。",
  "account.noteMissing": "请说明调整余额的原因。",
  "account.refundWithoutRequest": "请填写退款所针对的请求。",
  "account.requestWithoutRefund": "只有退款才针对请求。",
  "account.expiryWithoutTopUp": "只有充值才会到期。",
  "account.timePast": "该时间已过去。",
  "account.timeTooFar": "该时间过于久远。",
} as const;
