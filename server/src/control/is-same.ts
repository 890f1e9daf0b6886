/**
 * Tells a change that changes nothing. Pure; knows no thing that is changed. Such a change goes well
 * whatever revision it was read with: nothing of anybody's is overwritten, and a client that asks
 * again because it lost the answer gets it.
 */
import { isDeepStrictEqual } from "node:util";

/** True where everything that is given (not undefined) is as it is now. */
export function isSame(now: object, given: object): boolean {
  const values = now as Readonly<Record<string, unknown>>;
  return Object.entries(given).every(
    ([name, value]) => value === undefined || isDeepStrictEqual(value, values[name]),
  );
}
