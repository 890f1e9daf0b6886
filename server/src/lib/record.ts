/** Reads parsed JSON without trusting it, and compares records. */
import { isDeepStrictEqual } from "node:util";

/** A JSON object with unknown content. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** True when the value is a JSON object (not null, not an array). */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one, so that reading a missing path gives undefined. */
export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

/** The value if it is a text that is not empty; undefined for anything else. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Like JSON.parse, but returns undefined for text that is not JSON (`null` is JSON). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * True when every given (not undefined) member is already as it is now. Such a change succeeds whatever
 * revision it was based on: it overwrites nothing, and a client that lost the answer and repeats it gets one.
 */
export function isSame(now: object, given: object): boolean {
  const values = now as Readonly<Record<string, unknown>>;
  return Object.entries(given).every(
    ([name, value]) => value === undefined || isDeepStrictEqual(value, values[name]),
  );
}
