/**
 * Variables that look like boot settings and are none: a mistyped one stops the start. Knows
 * no setting; their names are passed in.
 */
import { nearest } from "../lib/nearest.ts";

/**
 * Variables that callers' programs use for their key and address, often set in
 * the same shell; none of our business.
 */
const callersNames = new Set(["PLAZA_KEY", "PLAZA_API_KEY", "PLAZA_BASE_URL"]);

/** What Kubernetes sets in every pod beside a service named "plaza". */
const isServiceLink = (name: string): boolean => /^PLAZA_(SERVICE_|PORT_\d)/.test(name);

/** What is wrong with those of `given` that are not among `known`, a sentence each. */
export function unknownNames(given: readonly string[], known: readonly string[]): string[] {
  return given
    .filter((name) => name.startsWith("PLAZA_") && !known.includes(name))
    .filter((name) => !callersNames.has(name) && !isServiceLink(name))
    .sort()
    .map((name) => {
      const meant = nearest(name, known);
      const tail =
        meant === undefined ? "see docs/operate/config.md for all settings" : `did you mean ${meant}?`;
      return `${name.slice(0, 80)}: unknown setting; ${tail}`;
    });
}
