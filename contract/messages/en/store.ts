/** What the store refuses. */

export const storeTexts = {
  "store.other": "{text}",
  "store.requestWithoutRefund": "only a refund can refer to a request",
  "store.expiryWithoutTopUp": "only a top-up can expire",
  "store.expiredAlready": "the top-up's expiry is in the past",
  "store.accountClosed": "account {id} is closed",
  "store.accountUnknown": "account {id} not found",
  "store.entryZero": "the amount of an entry cannot be 0",
  "store.kindNegative": "a {kind} cannot be negative",
  "store.tooMuch": "at most {free} can be subtracted from account {id}",
  "store.tooMuchWhileLent":
    "at most {free} can be subtracted from account {id}; {lent} are leased to running servers",
  "store.refundWithoutRequest": "a refund must name its request",
  "store.refundedBefore": "request {requestId} has already been refunded",
  "store.refundTooLarge": "account {id} paid only {paid} for request {requestId}",
  "store.referenceTaken":
    "reference {reference} of account {accountId} belongs to another entry ({kind}, {amount})",
  "store.referenceTakenUntil":
    "reference {reference} of account {accountId} belongs to another entry ({kind}, {amount}, expires {until})",
  "store.balanceTooLarge": "the balance cannot exceed {max} USD",
  "store.limitInvalid": "{name} must be a whole number from 0 to {max}",
  "store.startNegative": "the initial balance cannot be negative",
  "store.keptInvalid":
    "the time that responses are kept must be a whole number of milliseconds from 0 to {max}",
  "store.thresholdNegative": "the alert threshold cannot be negative",
  "store.codeZero": "the amount of a code must be above 0",
  "store.batchEmpty": "a batch must contain at least one code",
  "store.batchUnknown": "batch {id} not found",
  "store.emailTaken": "another user now has this email address",
  "store.requestNotRecorded": "Plaza cannot record the request: {reason}",
  "store.headersWait":
    "headers of upstreams cannot be stored before migration 28 has run, which waits for older servers: stop them, then run `plaza migrate`",
  "store.upstreamTwice": "the catalog has two upstreams named {id}",
  "store.modelTwice": "the catalog has two models named {id}",
  "store.upstreamLost": "model {model} has a deployment on upstream {upstream}, which is not in the catalog",
  "store.fallbackLost": "model {model} has the fallback {fallback}, which is not in the catalog",
  "store.managedInConsole":
    "{kind} {id} of the file is already managed in the console: use another ID in the file, or remove it in the console",
  "store.stillUsed":
    "{kind} {id} is no longer in the file, but models in the console {kind:upstream=use it|model=use it as a fallback} ({models}): change or remove them first",
} as const;
