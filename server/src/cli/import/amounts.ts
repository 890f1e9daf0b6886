/** Exact decimal arithmetic on prices of other gateways. Pure. */

/** Most decimals of a price in the catalog file. */
const decimalsMax = 9;

/** Digits and exponent of a decimal number: 2.5e-07 is 25 and -8. Undefined for anything else or below 0. */
function partsOf(value: unknown): { digits: bigint; exponent: number } | undefined {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  const match = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = "", fraction = "", power = "0"] = match;
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

/**
 * The product of decimals times ten to a power, as the catalog file writes amounts: at most nine decimals,
 * rounded half up. Undefined when one is no number, or is negative.
 */
export function decimalOf(values: readonly unknown[], tens = 0): string | undefined {
  let digits = 1n;
  let exponent = tens;
  for (const value of values) {
    const parts = partsOf(value);
    if (parts === undefined) return undefined;
    digits *= parts.digits;
    exponent += parts.exponent;
  }
  if (exponent >= 0) return String(digits * 10n ** BigInt(exponent));
  if (-exponent > decimalsMax) {
    const cut = 10n ** BigInt(-exponent - decimalsMax);
    digits = (digits + cut / 2n) / cut;
    exponent = -decimalsMax;
  }
  const text = digits.toString().padStart(1 - exponent, "0");
  const fraction = text.slice(exponent).replace(/0+$/, "");
  const whole = text.slice(0, exponent);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** US dollars per million tokens, from dollars per token. */
export const perMillion = (perToken: unknown): string | undefined => decimalOf([perToken], 6);
