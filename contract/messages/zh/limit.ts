/** Limits, balances and budgets a call meets, in Chinese. */

export const limitTexts = {
  "limit.balanceTooLow":
    "账户余额不足：此请求至少需要 {need} 美元，可用余额为 {left} 美元。请充值、缩短提示词或减少输出。",
  "limit.budgetTooLow":
    "此 API 密钥的{period:day=每日|month=每月}预算不足：此请求至少需要 {need} 美元，在 {until} 之前还剩 {left} 美元。",
  "limit.balanceUnchecked": "暂时无法校验余额，请稍后重试。",
  "limit.tokens":
    "{scope:key=此 API 密钥|account=此账户|model=此模型（全部调用方合计）|all=本站（全部调用方合计）}每分钟最多使用 {limit} 个 token",
  "limit.requests":
    "{scope:key=此 API 密钥|account=此账户|model=此模型（全部调用方合计）|all=本站（全部调用方合计）}每分钟最多 {limit} 个请求",
  "limit.concurrency":
    "{scope:key=此 API 密钥|account=此账户|model=此模型（全部调用方合计）|all=本站（全部调用方合计）}最多同时进行 {limit} 个请求",
  "limit.blocked":
    "{scope:key=此 API 密钥|account=此账户|model=此模型（全部调用方合计）|all=本站（全部调用方合计）}已被阻止：“{kind:rpm=每分钟请求数|tpm=每分钟 token 数|conc=并发请求数}”的限额为 0。重试无效，请联系运营者提高限额。",
  "limit.promptTooLarge":
    "{allowed}，而此请求仅提示词就约有 {inputTokens} 个。重试无效；请缩短提示词，或联系运营者提高限额。",
  "limit.concurrencyReached": "{allowed}，已达到限额。请在进行中的请求结束后重试。",
  "limit.tokensReached": "{allowed}，而此请求可能使用 {units} 个，超过剩余额度。请在 {seconds} 秒后重试。",
  "limit.requestsReached": "{allowed}，已达到限额。请在 {seconds} 秒后重试。",
} as const;
