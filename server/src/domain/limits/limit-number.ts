/** What is a limit's number as people write it, in a catalog file or on the command line. Pure; knows neither. */

/** Whole numbers up to here are exact in every place a limit passes through. */
export const limitMax = Number.MAX_SAFE_INTEGER;

/** What keeps a text from being such a number; the first that fits. */
const faults: readonly [RegExp, string][] = [
  [/^-\s*\d/, "is negative"],
  [/^\+/, "has a sign"],
  [/^[\d.]+e[+-]?\d+$/i, "has an exponent: write all digits"],
  [/^(?:\d+\.\d*|\.\d+)$/, "is a fraction"],
  [/^\d+(?:[,_ ]\d+)+$/, "has separators: write the digits alone"],
  [/^\d+$/, "is beyond 2^53 - 1"],
];

/** The number in decimal digits, or what is wrong with the text ("is negative"). Nothing is rounded. */
export function parseLimit(text: string): number | { readonly fault: string } {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value <= limitMax) return value;
  const [, fault] = faults.find(([form]) => form.test(text)) ?? [];
  return { fault: fault ?? "is not a number" };
}

/** What is allowed, to complete "must be". */
export const limitForm = `a whole number from 0, which blocks, to ${limitMax}`;
