/**
 * For tests: JSON that is made, or read, without asking V8 for names in objects. V8 of Node 24.21 takes a
 * name of one character that is written with an escape for a backslash, where it has met an object with that
 * name before: `JSON.parse` is no judge of such names, and two parses of one text may differ.
 */
import fc from "fast-check";

/** Characters that need no escape in JSON, those of its own grammar among them. */
const plainUnit = fc.constantFrom("a", "é", "{", "}", "[", "]", ":", ",", " ", "🙂");

/** A text, and so a name, without escapes. */
export const plainText = fc.string({ unit: plainUnit, maxLength: 8 });

/** Any JSON value; names in it are without escapes, texts that stand alone may have some. */
export const plainNamed = (maxDepth: number) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.jsonValue({ maxDepth, stringUnit: plainUnit }) },
    { weight: 1, arbitrary: fc.string() },
  );

const piece = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

/**
 * The members of a JSON object: by name the text of its value, of a name given twice the last one. Reads by a
 * pattern of texts and brackets, and shares nothing with the scanners it judges.
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
