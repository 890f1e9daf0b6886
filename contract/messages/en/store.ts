/** What the store refuses. */

export const storeTexts = {
  "store.other": "{text}",
  "store.requestWithoutRefund": "only a refund is for a request",
  "store.expiryWithoutTopUp": "only a top-up expires",
  "store.expiredAlready": "the top-up would have expired already",
  "store.accountClosed": "account {id} is closed",
  "store.accountUnknown": "there is no account {id}",
  "store.entryZero": "an entry of 0 changes nothing",
  "store.kindNegative": "a {kind} cannot be negative",
  "store.tooMuch": "only {free} of account {id} can be taken away",
  "store.tooMuchWhileLent":
    "only {free} of account {id} can be taken away; {lent} are lent to running servers",
  "store.refundWithoutRequest": "a refund names the request it is for",
  "store.refundedBefore": "request {requestId} was refunded before",
  "store.refundTooLarge": "account {id} paid {paid} for request {requestId}, which is less",
  "store.referenceTaken":
    "reference {reference} of account {accountId} stands for another entry ({kind}, {amount})",
  "store.referenceTakenUntil":
    "reference {reference} of account {accountId} stands for another entry ({kind}, {amount}, expires {until})",
  "store.balanceTooLarge": "a balance of more than {max} USD is not possible",
  "store.limitInvalid": "{name} must be a whole number from 0 to {max}",
  "store.startNegative": "an account cannot begin with a negative balance",
  "store.thresholdNegative": "a threshold is not negative",
  "store.codeZero": "a code is worth more than nothing",
  "store.batchEmpty": "a batch has at least one code",
  "store.batchUnknown": "there is no batch {id}",
  "store.emailTaken": "the email address was taken meanwhile",
  "store.requestNotRecorded": "the request cannot be recorded: {reason}",
  "store.upstreamTwice": "the catalog has two upstreams named {id}",
  "store.modelTwice": "the catalog has two models named {id}",
  "store.upstreamLost":
    "model {model} has a deployment on upstream {upstream}, which the catalog does not have",
  "store.fallbackLost": "model {model} falls back to model {fallback}, which the catalog does not have",
  "store.managedInConsole":
    "{kind} {id} of the file is managed in the console already: give it another id in the file, or remove the console's",
  "store.stillUsed":
    "{kind} {id} is not in the file any more, but models of the console {kind:upstream=are served by it|model=fall back to it} ({models}): change or remove them first",
} as const;
