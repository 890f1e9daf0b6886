/** Faults of a price or a limit. */

export const priceTexts = {
  "price.perMillion":
    'US dollars per million tokens{where:file= in quotes|form=}, from "0" to "1000000" with at most nine decimals, for example "0.25"',
  "price.perRequest":
    'US dollars per request{where:file= in quotes|form=}, from "0" to "1000" with at most nine decimals, for example "0.001"',
  "price.quoteLike": "write the price in quotes to keep all digits: {quoted}",
  "price.quote": "write the price in quotes to keep all digits; enter {form}",
  "price.refused":
    "{given} {fault:negative=is negative|signed=has a sign|not_a_number=is not a number|not_decimal=is not a decimal number|exponent=has an exponent|currency=contains a currency or a word|comma=has a comma instead of a point|too_many_decimals=has more than nine decimals|form=is not a price}; enter {form}",
  "price.tooLarge": "{given} is more than {max}; enter {form}",
  "price.tierWithoutSize": "enter the prompt size above which the tier applies",
  "price.tiersUnsorted":
    "must be more than {largest}, the size of an earlier tier; list the smallest tier first",
  "price.timeTwice": "is also the time of another price of this model",
  "price.twoBase": "has no validFrom, and neither has {other}; only one price may omit it",
  "price.noBase": "requires one price without validFrom, which applies until another price starts",
  "price.limitForm": "a whole number from 0 (blocks all requests) to {max}",
  "price.limitRefused":
    "{given} {fault:negative=is negative|signed=has a sign|exponent=has an exponent: write all digits|fraction=is a fraction|separators=has separators: write only digits|too_large=is beyond 2^53 - 1|not_a_number=is not a number}; must be {form}",
  "price.limitGive":
    "{given} {fault:negative=is negative|signed=has a sign|exponent=has an exponent: write all digits|fraction=is a fraction|separators=has separators: write only digits|too_large=is beyond 2^53 - 1|not_a_number=is not a number}; enter {form}.",
} as const;
