/** Limits, balances and budgets a call meets. */

export const limitTexts = {
  "limit.balanceTooLow":
    "The account's balance is too low: this request needs at least {need} USD, and {left} USD are available. Top up the account, shorten the prompt or request less output.",
  "limit.budgetTooLow":
    "The {period:day=daily|month=monthly} budget of this API key is too low: this request needs at least {need} USD, and {left} USD are left until {until}.",
  "limit.balanceUnchecked": "Plaza cannot check the balance right now. Try again shortly.",
  "limit.tokens":
    "{scope:key=This API key is|account=This account is|model=This model is|all=This installation is} limited to {limit} {limit:1=token|*=tokens} per minute{scope:model= across all callers|all= across all callers|*=}",
  "limit.requests":
    "{scope:key=This API key is|account=This account is|model=This model is|all=This installation is} limited to {limit} {limit:1=request|*=requests} per minute{scope:model= across all callers|all= across all callers|*=}",
  "limit.concurrency":
    "{scope:key=This API key is|account=This account is|model=This model is|all=This installation is} limited to {limit} concurrent {limit:1=request|*=requests}{scope:model= across all callers|all= across all callers|*=}",
  "limit.blocked":
    "{scope:key=This API key is|account=This account is|model=This model is|all=This installation is} blocked by a limit of 0 {kind:rpm=requests per minute|tpm=tokens per minute|conc=concurrent requests}. Retrying does not help. Ask the operator to raise the limit.",
  "limit.promptTooLarge":
    "{allowed}, and the prompt alone has about {inputTokens} tokens. Retrying does not help. Shorten the prompt, or ask the operator to raise the limit.",
  "limit.concurrencyReached":
    "{allowed}, and the limit is reached. Try again when a running request has finished.",
  "limit.tokensReached":
    "{allowed}, and this request may use {units}, more than is left. Try again in {seconds} s.",
  "limit.requestsReached": "{allowed}, and the limit is reached. Try again in {seconds} s.",
} as const;
