/** Remarks of ledger lines, and findings of the self-check. */

export const ledgerTexts = {
  "ledger.code": "Code …{end}",
  "ledger.unusedRest": "unused rest of entry {entry}",
  "ledger.balanceOff": "the balance says {balance} USD, its entries add up to {entries} USD",
  "ledger.balanceOutside": "balance {balance} USD with {lent} USD lent is not possible",
  "ledger.leasesOff": "{lent} USD are said to be lent, the leases add up to {leases} USD",
  "ledger.leaseOnNothing": "holder {holder} has a lease on nothing",
  "ledger.entriesTwice": "the request has {entries} {kind} entries",
  "ledger.entryWithoutRequest": "account {payer} has the {kind} of a request that is not there",
  "ledger.entryOfOther": "account {payer} has the {kind} of a request account {maker} made",
  "ledger.chargeOff": "the request says {kind} {charged} USD, the ledger {entered} USD",
  "ledger.chargeWithoutPrice": "charged {charge} USD without a price",
  "ledger.chargeNotDue": "charged {charge} USD where usage and price {price} give {due} USD",
  "ledger.budgetOff": "{counted} USD are counted as spent, the key's requests paid {due} USD",
  "ledger.grantOff": "{left} USD are left of a grant of {grant} USD",
} as const;
