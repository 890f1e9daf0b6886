/** Faults of a price or a limit. */

export const priceTexts = {
  "price.perMillion":
    'US dollars per million tokens{where:file= in quotes|form=}, from "0" to "1000000" with at most nine decimals, like "0.25"',
  "price.perRequest":
    'US dollars per request{where:file= in quotes|form=}, from "0" to "1000" with at most nine decimals, like "0.001"',
  "price.quoteLike": "write the price in quotes, so that no digit is lost: {quoted}",
  "price.quote": "write the price in quotes, so that no digit is lost; give {form}",
  "price.refused":
    "{given} {fault:negative=is negative|signed=has a sign|not_a_number=is not a number|not_decimal=is not written in decimal digits|exponent=has an exponent|currency=has a currency or a word in it|comma=has a comma instead of a point|too_many_decimals=has more than nine decimals|form=is not a price}; give {form}",
  "price.tooLarge": "{given} is more than {max}; give {form}",
  "price.tierWithoutSize": "give the size of prompt above which the tier applies",
  "price.tiersUnsorted":
    "must be more than {largest}, that of a tier before; list tiers by size, the smallest first",
  "price.timeTwice": "is the time of another price of this model, too",
  "price.twoBase": "has no validFrom, nor has {other}; only one price may be without",
  "price.noBase": "needs one price without validFrom, which applies until another takes over",
  "price.limitForm": "a whole number from 0, which blocks, to {max}",
  "price.limitRefused":
    "{given} {fault:negative=is negative|signed=has a sign|exponent=has an exponent: write all digits|fraction=is a fraction|separators=has separators: write the digits alone|too_large=is beyond 2^53 - 1|not_a_number=is not a number}; must be {form}",
  "price.limitGive":
    "{given} {fault:negative=is negative|signed=has a sign|exponent=has an exponent: write all digits|fraction=is a fraction|separators=has separators: write the digits alone|too_large=is beyond 2^53 - 1|not_a_number=is not a number}; give {form}.",
} as const;
