/** Redemption codes. */

export const codeTexts = {
  "code.batchUnknown": "Batch of codes not found.",
  "code.unknown": "Invalid code. Check for typos.",
  "code.withdrawn": "This code was voided. Ask the person who gave it to you for another one.",
  "code.expired": "This code expired on {at}.",
  "code.usedByAccount": "This account redeemed the code on {at}.",
  "code.used": "This code has already been redeemed.",
  "code.misspelt": "Invalid code. Check for typos. Codes have the form plaza-XXXX-XXXX-XXXX-XXXX-XX.",
  "code.zero": "Enter an amount above 0.",
  "code.notAdded": "The amount could not be added: {reason}.",
} as const;
