/**
 * For tests: JSON built and read without V8's handling of object names. V8 in Node 24.21 reads an escaped
 * one-character name as a backslash once it has seen an object with that name, so `JSON.parse` cannot be
 * trusted for such names, and two parses of a text may differ.
 */
import fc from "fast-check";

/** Characters without escapes in JSON, including those of its grammar. */
const plainUnit = fc.constantFrom("a", "é", "{", "}", "[", "]", ":", ",", " ", "🙂");

/** A text, also used as name, without escapes. */
export const plainText = fc.string({ unit: plainUnit, maxLength: 8 });

/** Any JSON value whose names have no escapes; string values may have some. */
export const plainNamed = (maxDepth: number) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.jsonValue({ maxDepth, stringUnit: plainUnit }) },
    { weight: 1, arbitrary: fc.string() },
  );

const piece = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

/**
 * The members of a JSON object: the text of each value by name; of duplicates the last one. Uses a regular
 * expression, independent of the scanners under test.
 */
export function membersIn(object: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let from = 0;
  for (const { 0: found, index } of object.matchAll(piece)) {
    if (depth === 1) {
      if (name === undefined && found.startsWith('"')) name = JSON.parse(found) as string;
      else if (found === ":") from = index + 1;
      else if (name !== undefined && (found === "," || found === "}")) {
        members.set(name, object.slice(from, index).trim());
        name = undefined;
      }
    }
    if (found === "{" || found === "[") depth += 1;
    else if (found === "}" || found === "]") depth -= 1;
  }
  return members;
}
