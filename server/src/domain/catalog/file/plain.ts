/** Converts a JSON document to the parts that the catalog file's readers take. */
import type { Field, Part } from "./parts.ts";

/** What a form sends; absent and null both mean: not given. */
export type Plain =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Plain[]
  | { readonly [key: string]: Plain };

const isList = (value: Plain): value is readonly Plain[] => Array.isArray(value);

/** The value as part of a file, without a position. */
export function partOf(value: Plain): Part {
  const start = 0;
  if (typeof value === "string") return { kind: "text", start, text: value };
  if (isList(value)) return { kind: "list", start, items: value.map(partOf) };
  if (typeof value !== "object" || value === null)
    return { kind: "other", start, source: value === undefined ? "" : String(value), value };
  const fields = new Map<string, Field>();
  for (const [name, one] of Object.entries(value))
    if (one !== undefined && one !== null) fields.set(name, { keyStart: start, value: partOf(one) });
  return { kind: "mapping", start, fields };
}
