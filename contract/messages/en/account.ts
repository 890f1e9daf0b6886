/** Accounts, ledger lines and the keys of an account. */

export const accountTexts = {
  "account.unknown": "Account not found.",
  "account.closedForEver": "This account is permanently closed. Create another one.",
  "account.gone": "This account no longer exists.",
  "account.closed": "This account is closed.",
  "account.lineZero": "Enter an amount other than 0.",
  "account.negativeLine": "Only an adjustment can reduce the balance.",
  "account.noteMissing": "Enter a reason for the adjustment.",
  "account.refundWithoutRequest": "Enter the ID of the request to refund.",
  "account.requestWithoutRefund": "Only a refund can refer to a request.",
  "account.expiryWithoutTopUp": "Only a top-up can expire.",
  "account.timePast": "Enter a time in the future.",
  "account.timeTooFar": "This time is too far in the future.",
} as const;
