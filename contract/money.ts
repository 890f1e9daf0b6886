/**
 * Money: `NanoUsd`, a whole number of 10^-9 US dollars in a bigint. No floats ever; decimal strings on the wire.
 */

declare const nanoUsdBrand: unique symbol;

/** A signed amount in billionths of a US dollar. In SQL a 64-bit integer, on the wire a decimal string of dollars. */
export type NanoUsd = bigint & { readonly [nanoUsdBrand]: true };

const nanosPerUsd = 1_000_000_000n;

/** The largest amount accepted anywhere: one billion dollars. Leaves room for sums in a signed 64-bit integer. */
const nanoUsdMax = 1_000_000_000n * nanosPerUsd;

/** Brands a bigint that is known to count nano-dollars. */
export function nanoUsd(nanos: bigint): NanoUsd {
  return nanos as NanoUsd;
}

/**
 * Reads a decimal string of US dollars ("5", "0.25", "0.000000001"). Refused with a RangeError that says why:
 * signs, exponents, more than nine decimals, or more than a billion dollars.
 */
export function parseUsd(text: string): NanoUsd {
  const match = /^(\d{1,10})(?:\.(\d{1,9}))?$/.exec(text);
  if (match === null) {
    throw new RangeError(
      `"${text.slice(0, 40)}" is not an amount in dollars: write digits with at most nine decimals, like "5" or "0.25"`,
    );
  }
  const nanos = BigInt(match[1] ?? "0") * nanosPerUsd + BigInt((match[2] ?? "").padEnd(9, "0"));
  if (nanos > nanoUsdMax) throw new RangeError(`"${text}" is more than the largest amount, 1000000000`);
  return nanoUsd(nanos);
}

/** Writes dollars with at least two decimals and no trailing zeros beyond them: "5.00", "-0.000125". */
export function formatUsd(amount: NanoUsd): string {
  const sign = amount < 0n ? "-" : "";
  const absolute = amount < 0n ? -amount : amount;
  const decimals = (absolute % nanosPerUsd)
    .toString()
    .padStart(9, "0")
    .replace(/0{1,7}$/, "");
  return `${sign}${absolute / nanosPerUsd}.${decimals}`;
}
