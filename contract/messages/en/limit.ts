/** Limits, balances and budgets a call meets. */

export const limitTexts = {
  "limit.balanceTooLow":
    "The balance of this account is too low: this request needs at least {need} USD and {left} USD are available. Top the account up, shorten the prompt or ask for less output.",
  "limit.budgetTooLow":
    "The budget of this API key for the {period} is too low: this request needs at least {need} USD and {left} USD are left until {until}.",
  "limit.balanceUnchecked": "The balance cannot be checked at the moment. Try again shortly.",
  "limit.tokens":
    "{scope:key=This API key|account=This account|model=This model, by all its callers together,|all=This installation, by all its callers together,} {scope:key=may use|account=may use|*=may be used for} {limit} {limit:1=token|*=tokens} a minute",
  "limit.requests":
    "{scope:key=This API key|account=This account|model=This model, by all its callers together,|all=This installation, by all its callers together,} {scope:key=may make|account=may make|*=may be sent} {limit} {limit:1=request|*=requests} a minute",
  "limit.concurrency":
    "{scope:key=This API key|account=This account|model=This model, by all its callers together,|all=This installation, by all its callers together,} {scope:key=may have|account=may have|*=may be sent} {limit} {limit:1=request|*=requests} at once",
  "limit.blocked":
    "{scope:key=This API key|account=This account|model=This model, by all its callers together,|all=This installation, by all its callers together,} is blocked: its limit is 0 {kind:rpm=requests a minute|tpm=tokens a minute|conc=requests at once}. Waiting does not help; ask the operator to raise it.",
  "limit.promptTooLarge":
    "{allowed}, and the prompt of this request alone has about {inputTokens} tokens. Waiting does not help; send less, or ask the operator to raise the limit.",
  "limit.concurrencyReached": "{allowed}, and that many are under way. Try again when one of them has ended.",
  "limit.tokensReached":
    "{allowed}, and this one may use {units}: the limit of tokens is reached. Try again in {seconds} s.",
  "limit.requestsReached":
    "{allowed}, and that many were made: the limit of requests is reached. Try again in {seconds} s.",
} as const;
