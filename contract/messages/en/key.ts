/** What an API key of the console is refused for. */

export const keyTexts = {
  "key.unknown": "There is no such key.",
  "key.unknownOrOthers": "There is no such key, or it is not yours to see.",
  "key.revoked": "This key is revoked for ever. Make another one.",
  "key.tooMany": "An account has at most {max} keys. Revoke some that nobody uses.",
  "key.disabled": "This key is disabled. Enable it first.",
  "key.expired": "This key has expired. Choose another one.",
  "key.modelsMissing": "Choose at least one model, or let it use all of them.",
  "key.modelUnknown": 'There is no model "{model}" here.',
  "key.networkBits":
    "The address has bits beyond the length of its network; write the network's first address, like 203.0.113.0/24.",
  "key.addressInvalid":
    "This is neither an address like 203.0.113.7 nor a network like 203.0.113.0/24 or 2001:db8::/32.",
  "key.addressMissing": "Give at least one address, or let it be used from anywhere.",
  "key.budgetZero": "A budget of 0 pays for nothing; disable the key instead.",
} as const;
