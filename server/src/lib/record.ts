/** Looking into parsed JSON without trusting it, and comparing records. */
import { isDeepStrictEqual } from "node:util";

/** A JSON object, of unknown content. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** True when the value is a JSON object (not null, not an array). */
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

/**
 * True where everything that is given (not undefined) is as it is now: a change that changes nothing.
 * Such a change succeeds whatever revision it was read with: it overwrites nobody's work, and a client that
 * asks again because it lost the answer gets it.
 */
export function isSame(now: object, given: object): boolean {
  const values = now as Readonly<Record<string, unknown>>;
  return Object.entries(given).every(
    ([name, value]) => value === undefined || isDeepStrictEqual(value, values[name]),
  );
}
