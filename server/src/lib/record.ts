/** Looking into parsed JSON without trusting it. */

/** A JSON object, of unknown content. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Is the value a JSON object (not null, not an array)? */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value when it is an object, else an empty one: reading a missing path gives undefined. */
export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** JSON.parse that answers undefined for text that is not JSON (`null` is JSON). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
