/** Redemption codes. */

export const codeTexts = {
  "code.batchUnknown": "There is no such batch of codes.",
  "code.unknown": "There is no such code. Check it letter by letter.",
  "code.withdrawn": "This code was withdrawn. Ask whoever gave it to you for another one.",
  "code.expired": "This code could be redeemed until {at}.",
  "code.usedByAccount": "This account redeemed the code on {at}.",
  "code.used": "This code was redeemed before.",
  "code.misspelt":
    "This is not a code of ours, or a letter is wrong: they look like plaza-XXXX-XXXX-XXXX-XXXX-XX.",
  "code.zero": "A code of 0 is worth nothing.",
  "code.notAdded": "It cannot be added: {reason}.",
} as const;
