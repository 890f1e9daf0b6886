/** Refusals of API key forms in the console. */

export const keyTexts = {
  "key.unknown": "Key not found.",
  "key.unknownOrOthers": "The key does not exist, or you don't have access to it.",
  "key.revoked": "This key was permanently revoked. Create another one.",
  "key.tooMany": "An account can have at most {max} keys. Revoke unused keys.",
  "key.disabled": "This key is disabled. Enable it first.",
  "key.expired": "This key has expired. Use another one.",
  "key.modelsMissing": "Select at least one model, or allow all models.",
  "key.modelUnknown": 'Model "{model}" not found.',
  "key.networkBits":
    "The address has bits outside its network. Enter the network's first address, for example 203.0.113.0/24.",
  "key.addressInvalid":
    "Enter an IP address, for example 203.0.113.7, or a network, for example 203.0.113.0/24 or 2001:db8::/32.",
  "key.addressMissing": "Enter at least one address, or allow all addresses.",
  "key.budgetZero": "A budget of 0 allows no requests. Disable the key instead.",
} as const;
