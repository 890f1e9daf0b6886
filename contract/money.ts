/**
 * Money: `NanoUsd`, a whole number of 10^-9 US dollars in a bigint. No
 * floats ever; decimal strings on the wire.
 */

declare const nanoUsdBrand: unique symbol;

/**
 * A signed amount in billionths of a US dollar. In SQL a 64-bit integer, in JSON a decimal string of dollars.
 */
export type NanoUsd = bigint & { readonly [nanoUsdBrand]: true };

const nanosPerUsd = 1_000_000_000n;

/** The largest amount accepted: one billion dollars. Sums of it fit in a signed 64-bit integer. */
const nanoUsdMax = 1_000_000_000n * nanosPerUsd;

/** Brands a bigint as nano-dollars. */
export function nanoUsd(nanos: bigint): NanoUsd {
  return nanos as NanoUsd;
}

/** Why a text is not an amount. `currency`: it contains a currency's name or sign; `form`: anything else. */
export type UsdFault =
  | "negative"
  | "signed"
  | "not_a_number"
  | "not_decimal"
  | "exponent"
  | "currency"
  | "comma"
  | "too_many_decimals"
  | "too_large"
  | "form";

const amountForm = /^(\d{1,10})(?:\.(\d{1,9}))?$/;

/** The first match counts. */
const faultForms: readonly [RegExp, UsdFault][] = [
  [/^[-\u2212]/, "negative"],
  [/^\+/, "signed"],
  [/^(nan|inf|infinity)$/i, "not_a_number"],
  [/^0[box]/i, "not_decimal"],
  [/^[\d.]+e/i, "exponent"],
  [/[\p{Sc}\p{L}]/u, "currency"],
  [/,/, "comma"],
  [/^\d+\.\d{10,}$/, "too_many_decimals"],
  [/^\d+(\.\d{1,9})?$/, "too_large"],
];

/** Why a text is not an amount of at most `max`; undefined for a valid one. */
export function usdFault(text: string, max: NanoUsd = nanoUsd(nanoUsdMax)): UsdFault | undefined {
  const nanos = readNanos(text);
  if (nanos !== undefined && nanos <= max) return undefined;
  return faultForms.find(([form]) => form.test(text))?.[1] ?? "form";
}

function readNanos(text: string): bigint | undefined {
  const match = amountForm.exec(text);
  if (match === null) return undefined;
  return BigInt(match[1] ?? "0") * nanosPerUsd + BigInt((match[2] ?? "").padEnd(9, "0"));
}

/**
 * Parses a decimal string of US dollars ("5", "0.25", "0.000000001"). Throws a RangeError that names the
 * reason: sign, exponent, more than nine decimals, or more than a billion dollars.
 */
export function parseUsd(text: string): NanoUsd {
  const nanos = readNanos(text);
  if (nanos === undefined) {
    throw new RangeError(
      `"${text.slice(0, 40)}" is not an amount in dollars: write digits with at most nine decimals, like "5" or "0.25"`,
    );
  }
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
