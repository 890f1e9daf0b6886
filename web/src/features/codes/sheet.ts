/** Codes as a CSV file, made in the browser: they are in no other place. Pure. */

interface CodeSheet {
  readonly codes: readonly string[];
  readonly amount: string;
  readonly expiresAt: string | null;
}

/** A header line, then one line for each code; every field in quotes. */
export function codeSheet({ codes, amount, expiresAt }: CodeSheet): string {
  const line = (...cells: readonly string[]) =>
    `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")}\r\n`;
  return [
    line("code", "amount_usd", "expires_at"),
    ...codes.map((code) => line(code, amount, expiresAt ?? "")),
  ].join("");
}

/** Amount times count, as a decimal string; undefined for what is no amount. */
export function totalOf(amount: string, count: number): string | undefined {
  const match = /^(\d+)(?:\.(\d{1,9}))?$/.exec(amount.trim());
  if (match === null || !Number.isSafeInteger(count) || count < 0) return undefined;
  const nanos =
    (BigInt(match[1] ?? "0") * 1_000_000_000n + BigInt((match[2] ?? "").padEnd(9, "0"))) * BigInt(count);
  const rest = (nanos % 1_000_000_000n).toString().padStart(9, "0").replace(/0+$/, "");
  return `${nanos / 1_000_000_000n}${rest === "" ? "" : `.${rest}`}`;
}
