/** Accounts, ledger lines and the keys of an account. */

export const accountTexts = {
  "account.unknown": "There is no such account.",
  "account.closedForEver": "This account is closed for ever. Make another one.",
  "account.gone": "The account is not there any more.",
  "account.closed": "This account is closed.",
  "account.lineZero": "A line of 0 changes nothing.",
  "account.negativeLine": "Only an adjustment takes money away.",
  "account.noteMissing": "Say why the balance is corrected.",
  "account.refundWithoutRequest": "Name the request that is refunded.",
  "account.requestWithoutRefund": "Only a refund is for a request.",
  "account.expiryWithoutTopUp": "Only a top-up expires.",
  "account.timePast": "This lies in the past.",
  "account.timeTooFar": "This is too far away.",
} as const;
