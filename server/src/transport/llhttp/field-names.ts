/** Names of header fields in lower case, without a new string for those that come often. */
import type { Head } from "./head.ts";

/**
 * Returns a function that gives a field's name in lower case. `usual`: lower-case names that are recognised
 * by their bytes.
 */
export function createFieldNames(usual: readonly string[]): (head: Head, field: number) => string {
  const longest = Math.max(...usual.map((name) => name.length));
  const byLength = Array.from({ length: longest + 1 }, (_, length) =>
    usual.filter((name) => name.length === length),
  );
  return (head, field) => {
    for (const name of byLength[head.nameLength(field)] ?? []) if (head.isNamed(field, name)) return name;
    return head.name(field).toLowerCase();
  };
}
