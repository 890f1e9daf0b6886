/** Finds variables that look like startup settings but are unknown, because a typo must stop the start. */
import { nearest } from "../lib/nearest.ts";

/**
 * Variables that clients use for their key and URL. They are often set in the same shell and are not
 * settings.
 */
const callersNames = new Set(["PLAZA_KEY", "PLAZA_API_KEY", "PLAZA_BASE_URL"]);

/** Matches what Kubernetes sets in every pod for a service named "plaza". */
const isServiceLink = (name: string): boolean => /^PLAZA_(SERVICE_|PORT_\d)/.test(name);

/** Returns one sentence for each name in `given` that is not in `known`. */
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
