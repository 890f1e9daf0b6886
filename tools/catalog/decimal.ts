/**
 * Decimal numbers as texts. Digits of a source are moved but never computed with, so that prices stay exact.
 */

const numberForm = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * "2e5" → "200000", ".50" → "0.5", "1.25e-3" → "0.00125"; undefined for an invalid number. `shift` moves the
 * decimal point to the right.
 */
export function plainDecimal(text: string, shift = 0): string | undefined {
  const match = numberForm.exec(text);
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match ?? [];
  if (match === null || whole + fraction === "") return undefined;
  const digits = whole + fraction;
  const point = whole.length + Number.parseInt(exponent, 10) + shift;
  const padded = point < 0 ? "0".repeat(-point) + digits : digits.padEnd(point, "0");
  const at = Math.max(point, 0);
  const before = padded.slice(0, at).replace(/^0+(?=\d)/, "") || "0";
  const after = padded.slice(at).replace(/0+$/, "");
  const plain = after === "" ? before : `${before}.${after}`;
  return sign === "-" && plain !== "0" ? `-${plain}` : plain;
}

/** Parses an integer from 1 to 10^9; undefined for other texts. For token counts, never for money. */
export function wholeNumber(text: string): number | undefined {
  const plain = plainDecimal(text);
  return plain !== undefined && /^[1-9]\d{0,9}$/.test(plain) && plain.length < 10
    ? Number.parseInt(plain, 10)
    : undefined;
}
