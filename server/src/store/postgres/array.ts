/**
 * Writes a list as the text of a PostgreSQL array, for parameters like `$1::text[]`: ten parameters instead
 * of ten thousand. Format: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
 */

export type ArrayValue = string | number | bigint | Uint8Array | null | undefined;

const special = /["\\]/;

function quoted(text: string): string {
  // PostgreSQL texts cannot contain a zero character, but callers may send one in a model's name.
  const clean = text.includes("\0") ? text.replaceAll("\0", "\u{fffd}") : text;
  return special.test(clean) ? `"${clean.replace(/["\\]/g, "\\$&")}"` : `"${clean}"`;
}

function element(value: ArrayValue): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return quoted(value);
  if (typeof value === "object")
    return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}"`;
  return `${value}`;
}

/**
 * Every `step`th value from index `from` on; by default all. Undefined becomes null, zero characters become
 * U+FFFD.
 */
export function arrayLiteral(values: readonly ArrayValue[], from = 0, step = 1): string {
  let text = "{";
  for (let at = from; at < values.length; at += step) {
    text += at === from ? element(values[at]) : `,${element(values[at])}`;
  }
  return `${text}}`;
}
