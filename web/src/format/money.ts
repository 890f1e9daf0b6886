/**
 * Amounts as people read them, from the decimal strings of the wire. Text and
 * bigint only: money is never a float.
 */

/** A decimal string in billionths; undefined when it is none. */
export function nanosOf(text: string): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text.trim());
  if (match === null) return undefined;
  const nanos = BigInt(match[2] ?? "0") * 1_000_000_000n + BigInt((match[3] ?? "").padEnd(9, "0"));
  return match[1] === "-" ? -nanos : nanos;
}

function grouped(whole: string): string {
  return whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function written(nanos: bigint, decimals: number, decimalsMin: number): string {
  const unit = 10n ** BigInt(9 - decimals);
  const rounded = (nanos + unit / 2n) / unit;
  const digits = rounded.toString().padStart(decimals + 1, "0");
  const whole = decimals === 0 ? digits : digits.slice(0, -decimals);
  const rest = (decimals === 0 ? "" : digits.slice(-decimals)).replace(/0+$/, "").padEnd(decimalsMin, "0");
  return `${grouped(whole)}${rest === "" ? "" : `.${rest}`}`;
}

/**
 * How many decimals a short amount needs to say something: two from a dollar up,
 * at least two digits that count below.
 */
function decimalsFor(nanos: bigint): number {
  if (nanos === 0n || nanos >= 1_000_000_000n) return 2;
  const leading = 9 - nanos.toString().length;
  return Math.min(9, Math.max(4, leading + 2));
}

/**
 * `$1,234.56`; below a dollar as many decimals as it takes (`$0.0042`, `$0.00000031`). `exact` writes every
 * decimal there is. A text that is no amount comes back as it is.
 */
export function formatMoney(text: string, precision: "short" | "exact" = "short"): string {
  const nanos = nanosOf(text);
  if (nanos === undefined) return text;
  const size = nanos < 0n ? -nanos : nanos;
  const decimals = precision === "exact" ? 9 : decimalsFor(size);
  return `${nanos < 0n ? "−" : ""}$${written(size, decimals, 2)}`;
}

/** -1, 0 or 1: how two amounts compare; what is no amount counts as 0. */
export function compareMoney(left: string, right: string): number {
  const difference = (nanosOf(left) ?? 0n) - (nanosOf(right) ?? 0n);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Billionths as a decimal string without needless zeros; the opposite of `nanosOf`. */
export function decimalOf(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos;
  const rest = (size % 1_000_000_000n).toString().padStart(9, "0").replace(/0+$/, "");
  return `${nanos < 0n ? "-" : ""}${size / 1_000_000_000n}${rest === "" ? "" : `.${rest}`}`;
}

/** The sum of amounts, as a decimal string. For totals that the server does not give. */
export function addMoney(amounts: readonly string[]): string {
  return decimalOf(amounts.reduce((total, amount) => total + (nanosOf(amount) ?? 0n), 0n));
}

/** A height for a chart; not for sums. */
export function chartHeight(text: string): number {
  return Number(text);
}
