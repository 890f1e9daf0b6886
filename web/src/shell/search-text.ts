/** The query part of an address as plain `name=value` pairs, repeated for lists. Knows no page. */

/** Reads `?q=a&model=x&model=y` as `{ q: "a", model: ["x", "y"] }`. */
export function parseSearch(text: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (name === "__proto__") continue;
    const former = Object.hasOwn(found, name) ? found[name] : undefined;
    found[name] = former === undefined ? value : Array.isArray(former) ? [...former, value] : [former, value];
  }
  return found;
}

/** The opposite; empty values are left out, but for those in lists. */
export function writeSearch(search: Record<string, unknown>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    const isList = Array.isArray(value);
    for (const one of isList ? value : [value]) {
      if (one !== undefined && one !== null && (isList || one !== "")) pairs.append(name, String(one));
    }
  }
  const text = pairs.toString();
  return text === "" ? "" : `?${text}`;
}
