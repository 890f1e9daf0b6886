/**
 * A list as the text of a PostgreSQL array, for `$1::text[]` and its like: ten parameters instead of ten
 * thousand. Knows no table. Form: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
 */

export type ArrayValue = string | number | bigint | Uint8Array | null | undefined;

const special = /["\\]/;

function quoted(text: string): string {
  // PostgreSQL has no text with a zero character in it; callers may send one in a model's name.
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
 * Every `step`th of the values from the one at `from` on; all of them without the two. Undefined counts as
 * null, zero characters become U+FFFD.
 */
export function arrayLiteral(values: readonly ArrayValue[], from = 0, step = 1): string {
  let text = "{";
  for (let at = from; at < values.length; at += step) {
    text += at === from ? element(values[at]) : `,${element(values[at])}`;
  }
  return `${text}}`;
}
