/** Accounts, ledger lines and the keys of an account, in Chinese. */

export const accountTexts = {
  "account.unknown": "未找到账户。",
  "account.closedForEver": "此账户已永久关闭，请另建一个。",
  "account.gone": "该账户已不存在。",
  "account.closed": "此账户已关闭。",
  "account.lineZero": "请填写不为 0 的金额。",
  "account.negativeLine": "只有调整可以减少余额。",
  "account.noteMissing": "请填写调整余额的原因。",
  "account.refundWithoutRequest": "请填写要退款的请求 ID。",
  "account.requestWithoutRefund": "只有退款可以指定请求。",
  "account.expiryWithoutTopUp": "只有充值可以设置到期时间。",
  "account.timePast": "请填写将来的时间。",
  "account.timeTooFar": "该时间过于久远。",
} as const;
