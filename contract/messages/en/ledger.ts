/** Notes of ledger entries, and findings of the ledger check. */

export const ledgerTexts = {
  "ledger.code": "Code …{end}",
  "ledger.unusedRest": "unused credit of entry {entry}",
  "ledger.balanceOff": "the balance is {balance} USD, but its entries sum to {entries} USD",
  "ledger.balanceOutside": "a balance of {balance} USD with {lent} USD leased is not possible",
  "ledger.leasesOff": "{lent} USD are recorded as leased, but the leases sum to {leases} USD",
  "ledger.leaseOnNothing": "holder {holder} has a lease without an account or budget",
  "ledger.entriesTwice": "the request has {entries} {kind} entries",
  "ledger.entryWithoutRequest": "account {payer} has the {kind} of a request that does not exist",
  "ledger.entryOfOther": "account {payer} has the {kind} of a request made by account {maker}",
  "ledger.chargeOff": "the request records {charged} USD as {kind}, the ledger {entered} USD",
  "ledger.chargeWithoutPrice": "charged {charge} USD without a price",
  "ledger.chargeNotDue": "charged {charge} USD, but usage and price {price} result in {due} USD",
  "ledger.budgetOff": "the budget counts {counted} USD as spent, but the key's requests cost {due} USD",
  "ledger.grantOff": "{left} USD of a top-up of {grant} USD are left, which is not possible",
} as const;
